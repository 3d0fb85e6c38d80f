import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { RecordedExecutionReader, type RecordedLine } from "./recorded-execution.ts";

export type NumberedLine = { readonly line: number; readonly content: RecordedLine };

/** The gzip data of a file is cut off or damaged; the message says after which line. */
export class DamagedFileError extends Error {}

const GZIP_START = Buffer.from([0x1f, 0x8b]);

/**
 * Streams a file of recorded executions line by line; gzip is detected by its first bytes. The file is
 * opened once, so it may be a pipe.
 *
 * @throws DamagedFileError after the readable lines; the file system's error if the file can't be read
 */
export async function* readRecordedFile(path: string): AsyncGenerator<NumberedLine> {
  const reader = new RecordedExecutionReader();
  const input = await openText(path);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  try {
    for await (const text of lines) {
      line++;
      if (text.trim() !== "") yield { line, content: reader.read(text) };
    }
  } catch (cause) {
    throw isOfGzip(cause)
      ? new DamagedFileError(
          `${path}: the gzip data is cut off or damaged after line ${line} (${cause.message}): get the whole file again`,
          { cause },
        )
      : cause;
  } finally {
    // The caller may have stopped reading.
    input.destroy();
  }
}

async function openText(path: string): Promise<Readable> {
  const chunks: AsyncIterator<Buffer> = createReadStream(path)[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < GZIP_START.length) {
    const next = await chunks.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const file = Readable.from(withStart(start, chunks));
  if (!start.subarray(0, GZIP_START.length).equals(GZIP_START)) return file;
  // The caller reads the text, and gets an error of the file from it too.
  return pipeline(file, createGunzip(), () => undefined);
}

async function* withStart(
  start: Buffer,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  } finally {
    await rest.return?.();
  }
}

function isOfGzip(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
