/** Why the database can not be written, as far as an operator can do something about it. */
export type StorageFault = "disk_full" | "read_only" | "damaged" | "failing";

/** The beginnings of SQLite's codes, and the codes of Postgres; the first that fits counts. */
const CODES: readonly (readonly [string, StorageFault])[] = [
  ["SQLITE_FULL", "disk_full"],
  // No room for the index of the log, which is made when a closed database is opened.
  ["SQLITE_IOERR_SHMSIZE", "disk_full"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_CANTOPEN", "read_only"],
  ["SQLITE_CORRUPT", "damaged"],
  ["SQLITE_NOTADB", "damaged"],
  ["SQLITE_IOERR", "failing"],
  ["53100", "disk_full"],
  ["25006", "read_only"],
  ["58030", "failing"],
  ["XX001", "damaged"],
];

/** What an error's code says about the storage of a database; null for any other code, also of other errors. */
export function storageFaultOfCode(code: unknown): StorageFault | null {
  if (typeof code !== "string") return null;
  return CODES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? null;
}
