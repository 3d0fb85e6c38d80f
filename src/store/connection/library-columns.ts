import type { Dialect } from "./dialect.ts";

/** A moment in the sign-in library's tables: text on SQLite. */
export type LibraryMoment = Date | string;
/** A yes or no in the sign-in library's tables: 0 or 1 on SQLite. */
export type LibraryBoolean = boolean | bigint;

export function libraryMomentMs(moment: LibraryMoment): number {
  return moment instanceof Date ? moment.getTime() : Date.parse(moment);
}

export function libraryMoment(dialect: Dialect, ms: number): LibraryMoment {
  return dialect === "sqlite" ? new Date(ms).toISOString() : new Date(ms);
}

export function libraryFalse(dialect: Dialect): LibraryBoolean {
  return dialect === "sqlite" ? 0n : false;
}
