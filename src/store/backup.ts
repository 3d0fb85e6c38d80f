import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { StorageError, storageError, storageFaultOf } from "./storage-fault.ts";

export type Backup =
  | { readonly kind: "written"; readonly bytes: number }
  | { readonly kind: "file-exists" }
  /** The database has no tables of the service. */
  | { readonly kind: "nothing-to-copy" };

/**
 * Writes a consistent copy of the embedded database to a single file, without blocking writers. The
 * file gets its name once it is complete, checked and synced; a killed backup leaves `FILE.partial`,
 * which the next one replaces.
 *
 * @param file  not overwritten; readable by its owner only
 * @throws StorageError if the disk of `file` is full, or the copy fails its integrity check
 */
export async function backUpEmbedded({ db }: Database, file: string): Promise<Backup> {
  if (existsSync(file)) return { kind: "file-exists" };
  if (!(await hasTables(db))) return { kind: "nothing-to-copy" };
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, "wx", 0o600));
  try {
    await copyInto(partial, { db, file });
    refuseUnsound(partial);
    syncToDisk(partial);
    renameSync(partial, file);
    syncToDisk(dirname(file));
  } finally {
    rmSync(partial, { force: true });
  }
  return { kind: "written", bytes: statSync(file).size };
}

async function hasTables(db: Database["db"]): Promise<boolean> {
  const { rows } =
    await sql`select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'`.execute(
      db,
    );
  return rows.length > 0;
}

async function copyInto(
  partial: string,
  { db, file }: { readonly db: Database["db"]; readonly file: string },
): Promise<void> {
  try {
    await sql`vacuum into ${partial}`.execute(db);
  } catch (cause) {
    // Only the copy grows: it is not the database's own disk that is full.
    throw storageFaultOf(cause) === "disk_full" ? storageError(file, "disk_full", cause) : cause;
  }
}

function refuseUnsound(file: string): void {
  const copy = new Sqlite(file, { readonly: true });
  try {
    const integrity = copy.pragma("integrity_check", { simple: true });
    const broken = copy.pragma("foreign_key_check");
    if (integrity !== "ok" || (Array.isArray(broken) && broken.length > 0))
      throw new StorageError(
        `the copy is not sound (${String(integrity)}), so the database is damaged: restore an earlier back-up (docs/operations-backup.md)`,
      );
  } finally {
    copy.close();
  }
}

function syncToDisk(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
