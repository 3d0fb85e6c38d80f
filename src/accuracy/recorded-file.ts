import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { RecordedExecutionReader, type RecordedLine } from "./recorded-execution.ts";

export type NumberedLine = { readonly line: number; readonly content: RecordedLine };

/**
 * Streams a file of recorded executions line by line; gzip is detected by its first bytes.
 *
 * @throws the file system's error if the file can't be read
 */
export async function* readRecordedFile(path: string): AsyncGenerator<NumberedLine> {
  const reader = new RecordedExecutionReader();
  const lines = createInterface({
    input: await openText(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() !== "") yield { line, content: reader.read(text) };
  }
}

async function openText(path: string): Promise<Readable> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: 1 })) chunks.push(chunk);
  const isGzip = Buffer.concat(chunks).equals(Buffer.from([0x1f, 0x8b]));
  const file = createReadStream(path);
  if (!isGzip) return file;
  const text = createGunzip();
  file.on("error", (error) => text.destroy(error));
  return file.pipe(text);
}
