import type { Kysely } from "kysely";
import { dayOf } from "#src/platform/clock.ts";
import { readRolledDays } from "#src/store/rolled-samples.ts";
import { readSampleHours, type SampleHour } from "#src/store/samples.ts";
import type { Schema } from "#src/store/schema.ts";
import { type Bucket, mergeBuckets, ROLLED_GRID, ROLLED_STEP_MS } from "./bucket.ts";
import type { HistoryGrid } from "./history.ts";
import { unpackDay } from "./rolled-day.ts";
import { HOLDS_FOR_MS } from "./sample.ts";
import { rollHour, SampleBlock } from "./sample-block.ts";

/** Where a token's samples are. */
export type StoredSeries = {
  readonly tokenId: bigint;
  /** Hours whose newest samples are not on disk yet. */
  readonly unsaved: readonly SampleHour[];
};

/** The hours of samples that hold within a time range, ascending. */
export async function readHours(
  db: Kysely<Schema>,
  { tokenId, unsaved }: StoredSeries,
  { fromMs, toMs }: Pick<HistoryGrid, "fromMs" | "toMs">,
): Promise<readonly Pick<SampleHour, "hour" | "data">[]> {
  // A sample holds for minutes, so the sample that is valid at the start may be in the hour before.
  const fromHour = SampleBlock.hourOf(fromMs) - 1;
  const toHour = SampleBlock.hourOf(toMs);
  const stored = await readSampleHours(db, { tokenId, fromHour, toHour });
  const hours = new Map(stored.map(({ hour, data }) => [hour, data]));
  for (const { hour, data } of unsaved) {
    if (hour >= fromHour && hour <= toHour) hours.set(hour, data);
  }
  return [...hours].toSorted(([a], [b]) => a - b).map(([hour, data]) => ({ hour, data }));
}

/** The buckets from which a grid is computed, ascending: no bucket spans the end of a step. */
export async function readBuckets(
  db: Kysely<Schema>,
  series: StoredSeries,
  grid: HistoryGrid,
): Promise<readonly Bucket[]> {
  const isRolled = grid.resolutionMs === ROLLED_STEP_MS;
  const hours = await readHours(db, series, grid);
  const buckets = hours.flatMap(({ hour, data }) =>
    rollHour(hour, data, isRolled ? ROLLED_GRID : grid),
  );
  const fromDay = dayOf(grid.fromMs - HOLDS_FOR_MS);
  // Only where the range begins just after midnight may the sample that is valid at its start be rolled up.
  if (!isRolled && fromDay === dayOf(grid.fromMs)) return buckets;
  // Read after the samples: a sample that is rolled up between the two reads is then in both results; in
  // the other order it would be in neither.
  const days = await readRolledDays(db, {
    tokenId: series.tokenId,
    fromDay,
    toDay: isRolled ? dayOf(grid.toMs) : fromDay,
  });
  const rolled = days.flatMap(({ day, data }) => unpackDay(day, data));
  return isRolled ? mergeBuckets([...rolled, ...buckets]) : [...rolled, ...buckets];
}
