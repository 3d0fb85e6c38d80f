import Sqlite from "better-sqlite3";
import type { LogEvent } from "kysely";
import pg from "pg";

/** Failed statements. Everything but a plain select counts as a write, commits included. */
export type QueryFailures = { readonly reads: number; readonly writes: number };

const PG_CONSTRAINT_CLASS = "23";

/** A constraint violation is not counted: the caller handles it. */
export function countFailure(counts: { reads: number; writes: number }, event: LogEvent): void {
  if (event.level !== "error" || isConstraint(event.error)) return;
  if (event.query.query.kind === "SelectQueryNode") counts.reads++;
  else counts.writes++;
}

function isConstraint(error: unknown): boolean {
  if (error instanceof Sqlite.SqliteError) return error.code.startsWith("SQLITE_CONSTRAINT");
  return error instanceof pg.DatabaseError && error.code?.startsWith(PG_CONSTRAINT_CLASS) === true;
}
