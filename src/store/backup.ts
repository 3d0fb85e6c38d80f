import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { StorageError, storageError, storageFaultOf } from "./storage-fault.ts";

export type Backup =
  | { readonly kind: "written"; readonly bytes: number }
  | { readonly kind: "file-exists" }
  /** The database has no tables of the service. */
  | { readonly kind: "nothing-to-copy" };

/** A backup that runs changes its partial file all the time: one that is so old is of a killed backup. */
const LEFT_AFTER_MS = 86_400_000;
/** After the backup's name: a UUID, so that backups of several machines to one folder use different files. */
const PARTIAL = /^\.[0-9a-f-]{36}\.partial(?:-journal)?$/;
/** How a file system without hard links refuses one. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Writes a consistent copy of the embedded database to a single file, without blocking writers. The
 * file gets its name once it is complete, checked and synced. Until then it is `FILE.UUID.partial`; what a killed
 * backup left is removed by the first one to the same file that begins a day later.
 *
 * @param file  not overwritten; readable by its owner only
 * @throws StorageError if the disk of `file` is full, or the copy fails its integrity check
 */
export async function backUpEmbedded({ db }: Database, file: string): Promise<Backup> {
  if (existsSync(file)) return { kind: "file-exists" };
  if (!(await hasTables(db))) return { kind: "nothing-to-copy" };
  removeLeftovers(file);
  const partial = `${file}.${randomUUID()}.partial`;
  closeSync(openSync(partial, "wx", 0o600));
  try {
    await copyInto(partial, { db, file });
    refuseUnsound(partial);
    syncToDisk(partial);
    if (!isNamed(partial, file)) return { kind: "file-exists" };
    syncToDisk(dirname(file));
  } finally {
    rmSync(partial, { force: true });
  }
  return { kind: "written", bytes: statSync(file).size };
}

function removeLeftovers(file: string): void {
  const folder = dirname(file);
  const name = basename(file);
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(name) || !PARTIAL.test(entry.slice(name.length))) continue;
    const left = join(folder, entry);
    const changedMs = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - changedMs > LEFT_AFTER_MS) rmSync(left, { force: true });
  }
}

/** Gives the complete copy its name; false: another backup has it by now. */
function isNamed(partial: string, file: string): boolean {
  try {
    linkSync(partial, file);
    return true;
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw cause;
  }
  if (existsSync(file)) return false;
  renameSync(partial, file);
  return true;
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
