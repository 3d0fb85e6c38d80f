import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

export type QuotedExecutedTables = {
  quoted_executed: { hour: bigint; age_seconds: bigint; counts: string };
};

/** One hour's differences from answers up to an age, serialised by the caller. */
export type StoredQuoted = {
  /** Whole hours since 1970 in UTC. */
  readonly hour: number;
  readonly ageSeconds: number;
  readonly counts: string;
};

/** Upserts hours. */
export async function writeQuoted(
  db: Kysely<Schema>,
  rows: readonly StoredQuoted[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("quoted_executed")
    .values(
      rows.map(({ hour, ageSeconds, counts }) => ({
        hour: BigInt(hour),
        age_seconds: BigInt(ageSeconds),
        counts,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["hour", "age_seconds"])
        .doUpdateSet((eb) => ({ counts: eb.ref("excluded.counts") })),
    )
    .execute();
}

export async function readQuoted(db: Kysely<Schema>): Promise<readonly StoredQuoted[]> {
  const rows = await db.selectFrom("quoted_executed").selectAll().execute();
  return rows.map(({ hour, age_seconds, counts }) => ({
    hour: Number(hour),
    ageSeconds: Number(age_seconds),
    counts,
  }));
}

export async function deleteQuotedBefore(db: Kysely<Schema>, hour: number): Promise<void> {
  await db.deleteFrom("quoted_executed").where("hour", "<", BigInt(hour)).execute();
}
