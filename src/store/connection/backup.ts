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
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { Database } from "./database.ts";
import { StorageError, storageError, storageFaultOf } from "./storage-fault.ts";

export type Backup =
  | { readonly kind: "written"; readonly bytes: number }
  | { readonly kind: "file-exists" }
  /** The database has no tables of the service. */
  | { readonly kind: "nothing-to-copy" };

/** A partial file that did not change for so long is of a killed backup, on whichever machine that ran. */
const LEFT_AFTER_MS = MS_PER_DAY;
/** What follows the backup's name: machine, process and a UUID, because containers may share the first two. */
const PARTIAL = /^\.(?<host>.+)\.(?<pid>\d+)\.[0-9a-f-]{36}\.partial(?:-journal)?$/;
/** How a file system without hard links refuses one. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Writes a consistent copy of the embedded database to a single file, without blocking writers. The
 * file gets its name once it is complete, checked and synced. Until then it is `FILE.HOST.PID.UUID.partial`; what
 * a killed backup left is removed by the next one to the same file on that machine, or by any a day later.
 *
 * @param file  not overwritten; readable by its owner only
 * @throws StorageError if the disk of `file` is full, or the copy fails its integrity check
 */
export async function backUpEmbedded(
  { db }: Database,
  file: string,
  nowMs: number,
): Promise<Backup> {
  if (existsSync(file)) return { kind: "file-exists" };
  if (!(await hasTables(db))) return { kind: "nothing-to-copy" };
  removeLeftovers(file, nowMs);
  const partial = `${file}.${hostname()}.${process.pid}.${randomUUID()}.partial`;
  closeSync(openSync(partial, "wx", 0o600));
  try {
    await copyInto(partial, { db, file });
    refuseUnsound(partial);
    syncToDisk(partial);
    if (!claimName(partial, file)) return { kind: "file-exists" };
    syncToDisk(dirname(file));
  } finally {
    rmSync(partial, { force: true });
  }
  return { kind: "written", bytes: statSync(file).size };
}

function removeLeftovers(file: string, nowMs: number): void {
  const folder = dirname(file);
  const name = basename(file);
  for (const entry of readdirSync(folder)) {
    const maker = entry.startsWith(name)
      ? PARTIAL.exec(entry.slice(name.length))?.groups
      : undefined;
    if (maker === undefined) continue;
    const left = join(folder, entry);
    const hasEnded = maker["host"] === hostname() && !isRunning(Number(maker["pid"]));
    const changedMs = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (hasEnded || nowMs - changedMs > LEFT_AFTER_MS) rmSync(left, { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // Another user's process may not be signalled, but it runs.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}

/** Gives a complete file its name; false: another file has it by now. */
export function claimName(partial: string, file: string): boolean {
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
