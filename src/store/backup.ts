import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import type { Database } from "./database.ts";

export type Backup =
  | { readonly kind: "written"; readonly bytes: number }
  | { readonly kind: "file-exists" };

/**
 * Writes a consistent copy of the embedded database to a single file, without blocking writers. The
 * file gets its name once it is complete, checked and synced; a killed backup leaves `FILE.partial`,
 * which the next one replaces.
 *
 * @param file  not overwritten; readable by its owner only
 * @throws if the copy fails its integrity check
 */
export async function backUpEmbedded({ db }: Database, file: string): Promise<Backup> {
  if (existsSync(file)) return { kind: "file-exists" };
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  closeSync(openSync(partial, "wx", 0o600));
  try {
    await sql`vacuum into ${partial}`.execute(db);
    refuseUnsound(partial);
    syncToDisk(partial);
    renameSync(partial, file);
    syncToDisk(dirname(file));
  } finally {
    rmSync(partial, { force: true });
  }
  return { kind: "written", bytes: statSync(file).size };
}

function refuseUnsound(file: string): void {
  const copy = new Sqlite(file, { readonly: true });
  try {
    const integrity = copy.pragma("integrity_check", { simple: true });
    const broken = copy.pragma("foreign_key_check");
    if (integrity !== "ok" || (Array.isArray(broken) && broken.length > 0))
      throw new Error(`the back-up is not sound: ${String(integrity)}`);
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
