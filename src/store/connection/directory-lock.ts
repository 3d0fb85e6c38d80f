import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Sqlite from "better-sqlite3";

/** Another process uses the same directory. */
export class DirectoryInUseError extends Error {
  /** The directory and the process that uses it, as text. */
  readonly fact: string;

  constructor(directory: string, pid: number | null) {
    const who = pid === null ? "another process" : `process ${pid}`;
    const fact = `${resolve(directory)} is in use by ${who}`;
    super(
      `${fact}. Stop it, or set DATA_DIR to another directory; ` +
        "several processes at once need DATABASE_URL (Postgres).",
    );
    this.name = "DirectoryInUseError";
    this.fact = fact;
  }
}

/**
 * Locks a directory for this process until `release`. The lock is an exclusive transaction on a small
 * SQLite file, so the operating system releases it when the process ends, and a stale pid cannot be
 * mistaken for a running process. The pid file only names the owner in the error.
 *
 * @throws DirectoryInUseError if another process, or another part of this one, holds it
 */
export function lockDirectory(directory: string): { readonly release: () => void } {
  const pidFile = join(directory, "service.pid");
  const lock = new Sqlite(join(directory, "service.lock"), { timeout: 0 });
  try {
    lock.exec("begin exclusive");
  } catch (cause) {
    lock.close();
    if (cause instanceof Sqlite.SqliteError && cause.code.startsWith("SQLITE_BUSY"))
      throw new DirectoryInUseError(directory, readPid(pidFile));
    throw cause;
  }
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      if (!lock.open) return;
      rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, "utf8"), 10);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null; // The owner has not written it yet: its number is a courtesy, not the lock.
  }
}
