import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory and its missing parents; an existing directory is not changed.
 *
 * Node's own recursive mkdir never returns if a parent exists but creating in it fails with "no such
 * entry", as in /proc.
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
