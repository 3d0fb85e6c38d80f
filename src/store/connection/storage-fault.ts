import { statfsSync } from "node:fs";
import Sqlite from "better-sqlite3";
import type { LogEvent } from "kysely";
import pg from "pg";
import { type StorageFault, storageFaultOfCode } from "#src/platform/storage-fault.ts";

/** The database, or the secret beside it, can not be used; the message says where it is and what to do. */
export class StorageError extends Error {}

const WHAT_TO_DO: Readonly<Record<StorageFault, string>> = {
  disk_full: "the disk is full: free some space, then start again",
  read_only:
    "it can not be written: let this user write there, or set DATA_DIR to another directory",
  damaged:
    "it is damaged, or no database of this service: restore a back-up (docs/operations-backup.md), or set DATA_DIR to another directory",
  failing: "the disk fails: see the system's log",
};

/** Null for an error that is not about the storage. */
export function storageFaultOf(error: unknown): StorageFault | null {
  const isOfDatabase = error instanceof Sqlite.SqliteError || error instanceof pg.DatabaseError;
  return isOfDatabase ? storageFaultOfCode(error.code) : null;
}

export function storageError(place: string, fault: StorageFault, cause: unknown): StorageError {
  return new StorageError(`${place}: ${WHAT_TO_DO[fault]}`, { cause });
}

/** What to do about an error that SQLite raised because of its file; null for any other error. */
export function sqliteAdvice(error: unknown): string | null {
  if (!(error instanceof Sqlite.SqliteError)) return null;
  if (error.code.startsWith("SQLITE_BUSY"))
    return "another process holds it: wait until that process has finished, or end it, then try again";
  const fault = storageFaultOf(error);
  return fault === null ? null : WHAT_TO_DO[fault];
}

/** What the last write of a database says about its storage. */
export class StorageWatch {
  #fault: StorageFault | null = null;

  /** Null: the last write succeeded, or none has failed. */
  get fault(): StorageFault | null {
    return this.#fault;
  }

  note(event: LogEvent): void {
    const { kind } = event.query.query;
    if (event.level === "error") this.#fault = storageFaultOf(event.error) ?? this.#fault;
    else if (WRITES.includes(kind)) this.#fault = null;
  }
}

const WRITES: readonly string[] = ["InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode"];

/** Bytes that this process may still write to the file system of a directory; null where unknown. */
export function freeDiskBytes(directory: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return null; // The directory is gone, or the file system does not say.
  }
}
