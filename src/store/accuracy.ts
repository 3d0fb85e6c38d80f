import type { Generated, Kysely } from "kysely";
import { chunksOf } from "#src/platform/chunks.ts";
import type { Schema } from "./schema.ts";

export type AccuracyTables = {
  accuracy_tallies: { venue: string; span: string; span_index: bigint; tally: string };
  accuracy_mismatches: {
    id: Generated<bigint>;
    at_ms: bigint;
    venue: string;
    signature: string;
    execution: string;
  };
};

/** One program's tallies of one span, serialised by the caller. */
export type StoredTally = {
  readonly venue: string;
  readonly span: string;
  /** Whole spans since 1970 in UTC. */
  readonly index: number;
  readonly tally: string;
};

export type StoredMismatch = {
  readonly atMs: number;
  readonly venue: string;
  readonly signature: string;
  /** One line in the form of a recorded execution. */
  readonly execution: string;
};

const ROWS_PER_STATEMENT = 100;

/** Upserts tallies. */
export async function writeTallies(
  db: Kysely<Schema>,
  tallies: readonly StoredTally[],
): Promise<void> {
  for (const some of chunksOf(tallies, ROWS_PER_STATEMENT)) {
    const rows = some.map(({ venue, span, index, tally }) => ({
      venue,
      span,
      span_index: BigInt(index),
      tally,
    }));
    await db
      .insertInto("accuracy_tallies")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["venue", "span", "span_index"])
          .doUpdateSet((eb) => ({ tally: eb.ref("excluded.tally") })),
      )
      .execute();
  }
}

export async function readTallies(db: Kysely<Schema>): Promise<readonly StoredTally[]> {
  const rows = await db.selectFrom("accuracy_tallies").selectAll().execute();
  return rows.map(({ venue, span, span_index, tally }) => ({
    venue,
    span,
    index: Number(span_index),
    tally,
  }));
}

/** Deletes the tallies of a span before `index`. */
export async function deleteTalliesBefore(
  db: Kysely<Schema>,
  { span, index }: { readonly span: string; readonly index: number },
): Promise<void> {
  await db
    .deleteFrom("accuracy_tallies")
    .where("span", "=", span)
    .where("span_index", "<", BigInt(index))
    .execute();
}

/** Adds mismatches and keeps the `kept` newest. */
export async function writeMismatches(
  db: Kysely<Schema>,
  mismatches: readonly StoredMismatch[],
  kept: number,
): Promise<void> {
  if (mismatches.length === 0) return;
  const rows = mismatches.map(({ atMs, ...mismatch }) => ({ at_ms: BigInt(atMs), ...mismatch }));
  await db.insertInto("accuracy_mismatches").values(rows).execute();
  const oldest = await db
    .selectFrom("accuracy_mismatches")
    .select("id")
    .orderBy("id", "desc")
    .limit(1)
    .offset(kept - 1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await db.deleteFrom("accuracy_mismatches").where("id", "<", oldest.id).execute();
}

/** The newest mismatches, newest first. */
export async function readMismatches(
  db: Kysely<Schema>,
  limit: number,
): Promise<readonly StoredMismatch[]> {
  const rows = await db
    .selectFrom("accuracy_mismatches")
    .selectAll()
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ at_ms, venue, signature, execution }) => ({
    atMs: Number(at_ms),
    venue,
    signature,
    execution,
  }));
}
