import { type Kysely, sql } from "kysely";
import type { Database } from "./connection/database.ts";
import { addDayPartitions, dropDayPartition, partitionDays } from "./day-partitions.ts";
import { deleteSlice } from "./delete-slice.ts";
import { daysBetween, HOURS, type TokenRange } from "./samples.ts";
import type { Schema } from "./schema.ts";

/** A token's samples of one day, rolled up and packed by the caller. */
export type RolledSamplesTables = {
  rolled_samples: { token_id: bigint; day: bigint; data: Uint8Array };
};

export type RolledDay = {
  readonly tokenId: bigint;
  /** Whole days since 1970 in UTC. */
  readonly day: number;
  readonly data: Uint8Array;
};

/** A token's rolled days of a range, both ends included, ascending. */
export async function readRolledDays(
  db: Kysely<Schema>,
  range: { readonly tokenId: bigint; readonly fromDay: number; readonly toDay: number },
): Promise<readonly RolledDay[]> {
  const days = daysBetween(range.fromDay, range.toDay);
  if (days.length === 0) return [];
  // Day by day: rows are ordered by day before the token.
  const rows = await db
    .selectFrom("rolled_samples")
    .selectAll()
    .where("token_id", "=", range.tokenId)
    .where("day", "in", days)
    .orderBy("day")
    .execute();
  return rows.map((row) => ({ tokenId: row.token_id, day: Number(row.day), data: row.data }));
}

/** The rolled day of each token in a range of tokens. */
export async function readRolledDay(
  db: Kysely<Schema>,
  day: number,
  range: TokenRange,
): Promise<ReadonlyMap<bigint, Uint8Array>> {
  const rows = await db
    .selectFrom("rolled_samples")
    .select(["token_id", "data"])
    .where("day", "=", BigInt(day))
    .where("token_id", ">", range.afterId)
    .where("token_id", "<=", range.toId)
    .execute();
  return new Map(rows.map((row) => [row.token_id, row.data]));
}

/** One rolled day of a range of tokens. */
export type RolledSlice = {
  readonly day: number;
  readonly range: TokenRange;
  readonly rows: readonly Omit<RolledDay, "day">[];
};

/**
 * Stores rolled days and replaces earlier ones. On SQLite the samples of these tokens and this day are
 * deleted in the same transaction; on Postgres the day is dropped once it is rolled up completely.
 */
export async function replaceByRolled(
  { db, dialect }: Database,
  { day, range, rows }: RolledSlice,
): Promise<void> {
  if (dialect === "postgres" && rows.length > 0)
    await addDayPartitions(db, "rolled_samples", new Set([day]));
  await db.transaction().execute(async (transaction) => {
    if (rows.length > 0) {
      await transaction
        .insertInto("rolled_samples")
        .values(rows.map(({ tokenId, data }) => ({ token_id: tokenId, day: BigInt(day), data })))
        .onConflict((conflict) =>
          conflict
            .columns(["token_id", "day"])
            .doUpdateSet((eb) => ({ data: eb.ref("excluded.data") })),
        )
        .execute();
    }
    if (dialect === "postgres") return;
    await transaction
      .deleteFrom("samples")
      .where("day", "=", BigInt(day))
      .where("hour", "in", HOURS)
      .where("token_id", ">", range.afterId)
      .where("token_id", "<=", range.toId)
      .execute();
  });
}

/**
 * Deletes at most `limit` rows of the days before `day`; Postgres drops one whole day.
 *
 * @returns whether there may be more
 */
export async function dropRolledBefore(
  { db, dialect }: Database,
  { day, limit }: { readonly day: number; readonly limit: number },
): Promise<boolean> {
  if (dialect === "postgres") {
    const [oldest] = await partitionDays(db, "rolled_samples");
    if (oldest === undefined || oldest >= day) return false;
    await dropDayPartition(db, "rolled_samples", oldest);
    return true;
  }
  return await deleteSlice(db, "rolled_samples", {
    key: ["day", "token_id"],
    where: sql`day < ${BigInt(day)}`,
    limit,
  });
}
