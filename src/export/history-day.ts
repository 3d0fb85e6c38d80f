import type { Kysely } from "kysely";
import { readRolledDay } from "#src/store/rolled-samples.ts";
import { readDayHours, tokensAfter } from "#src/store/samples.ts";
import type { Schema, Store } from "#src/store/schema.ts";
import { type Bucket, ROLLED_STEP_MS, rolledEnd } from "#src/track/history/bucket.ts";
import { unpackDay } from "#src/track/history/rolled-day.ts";
import { SAMPLE_EVERY_MS } from "#src/track/history/sample.ts";
import { rollHour } from "#src/track/history/sample-block.ts";
import type { Address } from "#src/units/address.ts";
import { ParquetFile, type Row } from "./parquet-file.ts";

/** Tokens in one page; with a sample every five minutes at least, 28,800 samples or more. */
const TOKENS_PER_PAGE = 100;

const COLUMNS = {
  mint: "STRING",
  at: "TIMESTAMP",
  c10_sol: "FLOAT",
  depth_sol: "FLOAT",
  slippage_0_5_pct: "FLOAT",
  slippage_1_pct: "FLOAT",
  slippage_2_pct: "FLOAT",
  slippage_5_pct: "FLOAT",
  slippage_10_pct: "FLOAT",
  slippage_50_pct: "FLOAT",
  confidence: "STRING",
  basis: "INT64",
  resolution_seconds: "INT32",
  c10_lowest_sol: "FLOAT",
  depth_lowest_sol: "FLOAT",
  known_throughout: "BOOLEAN",
} as const;

/**
 * Writes the samples of all tokens of one day, by token and time. A sample holds until the next one of
 * its token; figures are null while the token was blocked. A day that was rolled up has the last sample
 * of each five minutes.
 *
 * @param day whole days since 1970 in UTC
 * @returns the number of rows
 */
export async function exportHistoryDay(
  { db }: Pick<Store, "db">,
  { day, path }: { readonly day: number; readonly path: string },
): Promise<number> {
  const file = new ParquetFile(path, COLUMNS);
  let afterId = 0n;
  for (;;) {
    const tokens = await tokensAfter(db, { afterId, limit: TOKENS_PER_PAGE });
    const last = tokens.at(-1);
    if (last === undefined) return file.finish();
    await addRows(file, db, { day, tokens, range: { afterId, toId: last.id } });
    await file.writeGroup();
    afterId = last.id;
  }
}

type TokenPage = {
  readonly day: number;
  readonly tokens: readonly { readonly id: bigint; readonly mint: Address }[];
  readonly range: { readonly afterId: bigint; readonly toId: bigint };
};

async function addRows(
  file: ParquetFile<typeof COLUMNS>,
  db: Kysely<Schema>,
  { day, tokens, range }: TokenPage,
): Promise<void> {
  // In this order, samples that are rolled up between the two reads are in both results.
  const hours = await readDayHours(db, day, range);
  const rolled = await readRolledDay(db, day, range);
  for (const { id, mint } of tokens) {
    const samples = (hours.get(id) ?? []).flatMap(({ hour, data }) => rollHour(hour, data));
    const data = rolled.get(id);
    const whole = new Set(samples.map(({ last }) => rolledEnd(last.atMs)));
    const others = (data === undefined ? [] : unpackDay(day, data)).filter(
      ({ last }) => !whole.has(rolledEnd(last.atMs)),
    );
    const all = [
      ...samples.map((bucket) => ({ bucket, resolutionMs: SAMPLE_EVERY_MS })),
      ...others.map((bucket) => ({ bucket, resolutionMs: ROLLED_STEP_MS })),
    ].toSorted((a, b) => a.bucket.last.atMs - b.bucket.last.atMs);
    for (const { bucket, resolutionMs } of all) file.add(rowOf(mint, bucket, resolutionMs));
  }
}

function rowOf(mint: Address, bucket: Bucket, resolutionMs: number): Row<typeof COLUMNS> {
  const { last, lowestC10Sol, lowestDepthSol, wasUnknown } = bucket;
  // In the order of STANDARD_SIZES.
  const [half = null, one = null, two = null, five = null, ten = null, fifty = null] =
    last.slippagesPct;
  return {
    mint,
    at: new Date(last.atMs),
    c10_sol: last.c10Sol,
    depth_sol: last.depthSol,
    slippage_0_5_pct: half,
    slippage_1_pct: one,
    slippage_2_pct: two,
    slippage_5_pct: five,
    slippage_10_pct: ten,
    slippage_50_pct: fifty,
    confidence: last.confidence,
    basis: BigInt(last.basis),
    resolution_seconds: resolutionMs / 1_000,
    c10_lowest_sol: lowestC10Sol,
    depth_lowest_sol: lowestDepthSol,
    known_throughout: !wasUnknown,
  };
}
