import { copyFileSync, linkSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives the files of a tree a second place, without copying their bytes where both are on one file
 * system: for files that are not written to. Links among them are followed. @returns how many files
 */
export function linkTree(
  from: string,
  to: string,
  isLeftOut: (path: string) => boolean = () => false,
): number {
  if (isLeftOut(from)) return 0;
  if (!statSync(from).isDirectory()) {
    linkFile(from, to);
    return 1;
  }
  mkdirSync(to, { recursive: true });
  return readdirSync(from)
    .map((name) => linkTree(join(from, name), join(to, name), isLeftOut))
    .reduce((sum, files) => sum + files, 0);
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EXDEV")) throw cause;
    copyFileSync(from, to);
  }
}
