import { type Kysely, sql } from "kysely";
import { chunksOf } from "#src/platform/chunks.ts";
import type { Address } from "#src/units/address.ts";
import type { Database } from "./connection/database.ts";
import { addDayPartitions, dropDayPartition, partitionDays } from "./day-partitions.ts";
import { deleteSlice } from "./delete-slice.ts";
import type { Schema } from "./schema.ts";

/** A token's samples of one hour, packed by the caller. */
export type SamplesTables = {
  samples: { token_id: bigint; day: bigint; hour: bigint; data: Uint8Array };
};

export type SampleHour = {
  readonly tokenId: bigint;
  /** Whole hours since 1970 in UTC. */
  readonly hour: number;
  readonly data: Uint8Array;
};

const HOURS_PER_DAY = 24;
/** The hours of a day. */
export const HOURS = Array.from({ length: HOURS_PER_DAY }, (_, hour) => BigInt(hour));
const ROWS_PER_STATEMENT = 200;

/** Upserts hours of samples. */
export async function writeSampleHours(
  { db, dialect }: Database,
  hours: readonly SampleHour[],
): Promise<void> {
  if (dialect === "postgres")
    await addDayPartitions(db, "samples", new Set(hours.map(({ hour }) => dayOf(hour))));
  for (const some of chunksOf(hours, ROWS_PER_STATEMENT)) {
    const rows = some.map(({ tokenId, hour, data }) => ({
      token_id: tokenId,
      day: BigInt(dayOf(hour)),
      hour: BigInt(hour % HOURS_PER_DAY),
      data,
    }));
    await db
      .insertInto("samples")
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(["token_id", "day", "hour"])
          .doUpdateSet((eb) => ({ data: eb.ref("excluded.data") })),
      )
      .execute();
  }
}

/** A token's hours from `fromHour` to `toHour`, both included, ascending; none where the range ends before it begins. */
export async function readSampleHours(
  db: Kysely<Schema>,
  range: { readonly tokenId: bigint; readonly fromHour: number; readonly toHour: number },
): Promise<readonly SampleHour[]> {
  // Postgres refuses an empty list.
  if (range.fromHour > range.toHour) return [];
  const [fromDay, toDay] = [dayOf(range.fromHour), dayOf(range.toHour)];
  // Hour by hour: rows are ordered by day and hour before the token.
  const rows = await db
    .selectFrom("samples")
    .selectAll()
    .where("token_id", "=", range.tokenId)
    .where("day", "in", daysBetween(fromDay, toDay))
    .where("hour", "in", fromDay === toDay ? hoursBetween(range) : HOURS)
    .orderBy("day")
    .orderBy("hour")
    .execute();
  return rows
    .map((row) => ({
      tokenId: row.token_id,
      hour: Number(row.day) * HOURS_PER_DAY + Number(row.hour),
      data: row.data,
    }))
    .filter(({ hour }) => hour >= range.fromHour && hour <= range.toHour);
}

/** Tokens in the order of their numbers. */
export type TokenRange = { readonly afterId: bigint; readonly toId: bigint };

/** The next `limit` tokens, ascending. */
export async function tokensAfter(
  db: Kysely<Schema>,
  { afterId, limit }: { readonly afterId: bigint; readonly limit: number },
): Promise<readonly { readonly id: bigint; readonly mint: Address }[]> {
  return await db
    .selectFrom("tokens")
    .select(["id", "mint"])
    .where("id", ">", afterId)
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** The hours of a day (whole days since 1970 in UTC), ascending, for each token of a range. */
export async function readDayHours(
  db: Kysely<Schema>,
  day: number,
  range: TokenRange,
): Promise<ReadonlyMap<bigint, readonly SampleHour[]>> {
  const rows = await db
    .selectFrom("samples")
    .selectAll()
    .where("day", "=", BigInt(day))
    .where("hour", "in", HOURS)
    .where("token_id", ">", range.afterId)
    .where("token_id", "<=", range.toId)
    .orderBy("hour")
    .execute();
  const hours = rows.map(({ token_id: tokenId, hour, data }) => ({
    tokenId,
    hour: day * HOURS_PER_DAY + Number(hour),
    data,
  }));
  return Map.groupBy(hours, ({ tokenId }) => tokenId);
}

/** The oldest day with samples; null if there are none. */
export async function oldestSampleDay({ db, dialect }: Database): Promise<number | null> {
  if (dialect === "postgres") return (await partitionDays(db, "samples"))[0] ?? null;
  const { day } = await db
    .selectFrom("samples")
    .select((eb) => eb.fn.min("day").as("day"))
    .executeTakeFirstOrThrow();
  return day === null ? null : Number(day);
}

/**
 * Deletes at most `limit` hours of a day; Postgres drops the whole day at once.
 *
 * @returns whether the day may have more
 */
export async function dropSampleDay(
  { db, dialect }: Database,
  { day, limit }: { readonly day: number; readonly limit: number },
): Promise<boolean> {
  if (dialect === "postgres") {
    await dropDayPartition(db, "samples", day);
    return false;
  }
  return await deleteSlice(db, "samples", {
    key: ["day", "hour", "token_id"],
    where: sql`day = ${BigInt(day)}`,
    limit,
  });
}

/** The days from one to another, both included. */
export function daysBetween(from: number, to: number): readonly bigint[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => BigInt(from + index));
}

function hoursBetween({ fromHour, toHour }: { fromHour: number; toHour: number }) {
  return HOURS.slice(fromHour % HOURS_PER_DAY, (toHour % HOURS_PER_DAY) + 1);
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY);
}
