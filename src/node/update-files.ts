import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { constants, createGunzip, createGzip, type Gzip } from "node:zlib";
import { makeDirectory } from "#src/platform/make-directory.ts";
import { RecordingError } from "./recording.ts";
import {
  type LogEvent,
  type TimedEvent,
  UpdateDecoder,
  UpdateEncoder,
  UpdateLogError,
} from "./update-log.ts";

const NAME = /^updates-\d{8}T\d{9}Z\.jsonl\.gz$/;
/** What a killed process loses at most. */
const FLUSH_EVERY_MS = 10_000;
const MAX_UNWRITTEN_BYTES = 64 * 1024 * 1024;
/** Accounts whose state is kept in memory. */
const MAX_ACCOUNTS = 200_000;

export type UpdateFilesOptions = {
  readonly folder: string;
  /** A new file is begun after so many compressed bytes. */
  readonly fileBytes: number;
  /** The oldest files are deleted beyond so many bytes in all. */
  readonly totalBytes: number;
};

type OpenFile = { readonly path: string; readonly text: Gzip; readonly file: WriteStream };

/**
 * Writes events to compressed files in a folder, in the form of `UpdateEncoder`. Files follow each other,
 * each readable alone; the oldest are deleted. After a failure nothing more is written.
 */
export class UpdateFiles {
  readonly #options: UpdateFilesOptions;
  readonly #encoder = new UpdateEncoder();
  #open: OpenFile | null = null;
  #namedMs = 0;
  #flushDueMs = 0;
  #rotating: Promise<void> | null = null;
  #endedBytes = 0;
  #failure: Error | null = null;
  readonly #failed = Promise.withResolvers<void>();
  /** Events of accounts beyond the limit. */
  leftOut = 0;

  constructor(options: UpdateFilesOptions) {
    this.#options = options;
  }

  /** Why nothing is written any more; null: it works. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Resolves if there is a failure. */
  get failed(): Promise<void> {
    return this.#failed.promise;
  }

  /** Compressed bytes so far, in files that were deleted too. */
  get bytes(): number {
    return this.#endedBytes + (this.#open?.file.bytesWritten ?? 0);
  }

  get tokens(): number {
    return this.#encoder.tokens;
  }

  /** @throws RecordingError if the folder can't be written */
  async begin(nowMs: number): Promise<void> {
    try {
      makeDirectory(this.#options.folder);
    } catch (cause) {
      throw new RecordingError(this.#options.folder, "can't be created", cause);
    }
    this.#begin(nowMs);
  }

  add(event: LogEvent, nowMs: number): void {
    if (this.#failure !== null || this.#open === null) return;
    if (event.kind === "account" && !this.#encoder.hasRoomFor(event.address, MAX_ACCOUNTS)) {
      this.leftOut++;
      return;
    }
    const { text, file } = this.#open;
    for (const line of this.#encoder.lines(event, nowMs)) text.write(`${line}\n`);
    if (text.writableLength + file.writableLength > MAX_UNWRITTEN_BYTES) {
      this.#fail(new RecordingError(this.#open.path, "the disk is too slow"));
    } else if (file.bytesWritten >= this.#options.fileBytes && this.#rotating === null) {
      this.#rotating = this.#rotate(nowMs).finally(() => {
        this.#rotating = null;
      });
    } else if (nowMs >= this.#flushDueMs) {
      this.#flushDueMs = nowMs + FLUSH_EVERY_MS;
      text.flush(constants.Z_SYNC_FLUSH);
    }
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    await this.#rotating;
    const open = this.#open;
    this.#open = null;
    if (open !== null) await this.#end(open);
  }

  #begin(nowMs: number): void {
    // Names are in the order of the files, also where the clock stops or goes back.
    this.#namedMs = Math.max(nowMs, this.#namedMs + 1);
    const time = new Date(this.#namedMs).toISOString().replaceAll(/[-:.]/g, "");
    const path = join(this.#options.folder, `updates-${time}.jsonl.gz`);
    const text = createGzip();
    const file = createWriteStream(path, { flags: "wx" });
    for (const stream of [text, file]) {
      stream.on("error", (cause) =>
        this.#fail(new RecordingError(path, "can't be written", cause)),
      );
    }
    text.pipe(file);
    this.#open = { path, text, file };
    this.#flushDueMs = nowMs + FLUSH_EVERY_MS;
    for (const line of this.#encoder.begin(nowMs)) text.write(`${line}\n`);
  }

  async #rotate(nowMs: number): Promise<void> {
    const ended = this.#open;
    this.#begin(nowMs);
    if (ended !== null) await this.#end(ended);
    try {
      await deleteOldest(this.#options);
    } catch (cause) {
      this.#fail(new RecordingError(this.#options.folder, "old files can't be deleted", cause));
    }
  }

  async #end({ text, file }: OpenFile): Promise<void> {
    text.end();
    // A failure has been kept by the stream's listener.
    await finished(file).catch(() => null);
    this.#endedBytes += file.bytesWritten;
  }

  #fail(cause: Error): void {
    this.#failure ??= cause;
    this.#failed.resolve();
    this.#open?.text.destroy();
    this.#open?.file.destroy();
  }
}

async function deleteOldest({ folder, totalBytes }: UpdateFilesOptions): Promise<void> {
  const names = (await readdir(folder))
    .filter((name) => NAME.test(name))
    .toSorted()
    .reverse();
  let bytes = 0;
  for (const [index, name] of names.entries()) {
    const path = join(folder, name);
    bytes += (await stat(path)).size;
    // The newest is being written.
    if (index > 0 && bytes > totalBytes) await unlink(path);
  }
}

/**
 * The events of one file. The last line of a process that was killed may be cut off: it is left out.
 *
 * @throws RecordingError if a line is not valid, or the file can't be read
 */
export async function* readUpdateFile(path: string): AsyncGenerator<TimedEvent> {
  const decoder = new UpdateDecoder();
  const file = createReadStream(path);
  const text = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  file.on("error", (cause) => text.destroy(cause));
  let number = 0;
  let cutOff: RecordingError | null = null;
  try {
    const input = file.pipe(text);
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (cutOff !== null) throw cutOff;
      number++;
      const read = decoded(decoder, line);
      if (read instanceof UpdateLogError) {
        cutOff = new RecordingError(path, `line ${number}: ${read.message}`, read);
      } else if (read !== null) yield read;
    }
  } catch (cause) {
    if (cause instanceof RecordingError) throw cause;
    throw new RecordingError(path, cause instanceof Error ? cause.message : "can't be read", cause);
  }
  if (cutOff !== null && number === 1) throw cutOff;
}

function decoded(decoder: UpdateDecoder, line: string): TimedEvent | UpdateLogError | null {
  try {
    return decoder.read(line);
  } catch (error) {
    if (error instanceof UpdateLogError) return error;
    throw error;
  }
}
