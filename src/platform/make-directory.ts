import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory and its missing parents; one that exists is left as it is.
 *
 * Node's own recursive mkdir never returns where a parent exists and still answers "no such entry",
 * as in /proc.
 *
 * @throws the error of the operating system, which has syscall, code and path
 */
export function makeDirectory(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.toReversed()) makeOne(directory, mode);
  if (!statSync(path).isDirectory()) mkdirSync(path); // Throws: a file has this name.
}

function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, mode);
  } catch (error) {
    if (!existsSync(directory)) throw error; // Another process may have created it meanwhile.
  }
}
