import { type Kysely, type QueryExecutorProvider, sql } from "kysely";
import type { Address } from "#src/units/address.ts";
import type { Database } from "./database.ts";
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
const ROWS_PER_STATEMENT = 200;

/** Upserts hours of samples. */
export async function writeSampleHours(
  { db, dialect }: Database,
  hours: readonly SampleHour[],
): Promise<void> {
  if (dialect === "postgres")
    await addSamplePartitions(db, new Set(hours.map(({ hour }) => dayOf(hour))));
  for (let start = 0; start < hours.length; start += ROWS_PER_STATEMENT) {
    const rows = hours.slice(start, start + ROWS_PER_STATEMENT).map(({ tokenId, hour, data }) => ({
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

/** A token's hours from `fromHour` to `toHour`, both included, ascending. */
export async function readSampleHours(
  db: Kysely<Schema>,
  range: { readonly tokenId: bigint; readonly fromHour: number; readonly toHour: number },
): Promise<readonly SampleHour[]> {
  const rows = await db
    .selectFrom("samples")
    .selectAll()
    .where("token_id", "=", range.tokenId)
    .where("day", ">=", BigInt(dayOf(range.fromHour)))
    .where("day", "<=", BigInt(dayOf(range.toHour)))
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

/** One stored hour of a day, with the token's mint. */
export type DayHour = SampleHour & { readonly mint: Address };

/** The place in a day after which the next page begins. */
export type DayPlace = Pick<SampleHour, "tokenId" | "hour">;

/** The hours of a day (whole days since 1970 in UTC) by token and hour: the next `limit` after a place. */
export async function readDayHours(
  db: Kysely<Schema>,
  { day, after, limit }: { day: number; after: DayPlace | null; limit: number },
): Promise<readonly DayHour[]> {
  const ofDay = db
    .selectFrom("samples")
    .innerJoin("tokens", "tokens.id", "samples.token_id")
    .select(["samples.token_id", "samples.hour", "samples.data", "tokens.mint"])
    .where("samples.day", "=", BigInt(day));
  const rest =
    after === null
      ? ofDay
      : ofDay.where((eb) =>
          eb(
            eb.refTuple("samples.token_id", "samples.hour"),
            ">",
            eb.tuple(after.tokenId, BigInt(after.hour % HOURS_PER_DAY)),
          ),
        );
  const rows = await rest
    .orderBy("samples.token_id")
    .orderBy("samples.hour")
    .limit(limit)
    .execute();
  return rows.map(({ token_id, hour, data, mint }) => ({
    tokenId: token_id,
    mint,
    hour: day * HOURS_PER_DAY + Number(hour),
    data,
  }));
}

/** Deletes every sample of the days before `day` (whole days since 1970 in UTC). */
export async function dropSamplesBefore({ db, dialect }: Database, day: number): Promise<void> {
  if (dialect === "sqlite") {
    await db.deleteFrom("samples").where("day", "<", BigInt(day)).execute();
    return;
  }
  const first = partitionOf(day);
  const { rows } = await sql<{ name: string }>`select child.relname as name
    from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = to_regclass('samples')`.execute(db);
  for (const { name } of rows) {
    if (name < first) await sql`drop table ${sql.ref(name)}`.execute(db);
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY);
}

/** Creates missing partitions for days (whole days since 1970 in UTC) on Postgres. */
export async function addSamplePartitions(
  db: QueryExecutorProvider,
  days: ReadonlySet<number>,
): Promise<void> {
  for (const day of days) {
    await sql`create table if not exists ${sql.ref(partitionOf(day))} partition of samples
      for values from (${sql.lit(day)}) to (${sql.lit(day + 1)})`.execute(db);
  }
}

/** Named by date, so that names sort like days. */
function partitionOf(day: number): string {
  const [year, month, date] = new Date(day * 86_400_000).toISOString().slice(0, 10).split("-");
  return `samples_y${year}m${month}d${date}`;
}
