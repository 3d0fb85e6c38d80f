import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAfter, type Ending } from "./ending.ts";

/** A fresh directory that is removed with all it holds after the test. */
export function temporaryDirectory(ending: Ending, parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, "exitability-test-"));
  closeAfter(ending, () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** As `temporaryDirectory`, readable by other users of the machine, as a container's file system is. */
export function publicTemporaryDirectory(ending: Ending): string {
  const directory = temporaryDirectory(ending);
  chmodSync(directory, 0o755);
  return directory;
}
