import type { Kysely } from "kysely";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { readRolledDay } from "#src/store/rolled-samples.ts";
import { readDayHours, tokensAfter } from "#src/store/samples.ts";
import type { Schema, Store } from "#src/store/schema.ts";
import { type Bucket, ROLLED_STEP_MS, rolledEnd } from "#src/track/history/bucket.ts";
import { unpackDay } from "#src/track/history/rolled-day.ts";
import { SAMPLE_EVERY_MS } from "#src/track/history/sample.ts";
import { rollHour } from "#src/track/history/sample-block.ts";
import type { Address } from "#src/units/address.ts";
import { ParquetFile } from "./parquet-file.ts";

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

const SLIPPAGE_COLUMNS = STANDARD_SIZES.map(
  (size) => `slippage_${size.replace(".", "_")}_pct` as keyof typeof COLUMNS,
);

type HistoryRows = Record<keyof typeof COLUMNS, unknown[]>;

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
    const rows = await rowsOf(db, { day, tokens, range: { afterId, toId: last.id } });
    if (rows.mint.length > 0) await file.write(rows);
    afterId = last.id;
  }
}

type TokenPage = {
  readonly day: number;
  readonly tokens: readonly { readonly id: bigint; readonly mint: Address }[];
  readonly range: { readonly afterId: bigint; readonly toId: bigint };
};

async function rowsOf(db: Kysely<Schema>, { day, tokens, range }: TokenPage): Promise<HistoryRows> {
  // In this order, samples that are rolled up between the two reads are in both results.
  const hours = await readDayHours(db, day, range);
  const rolled = await readRolledDay(db, day, range);
  const rows = emptyRows();
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
    for (const { bucket, resolutionMs } of all) addRow(rows, { mint, bucket, resolutionMs });
  }
  return rows;
}

function addRow(
  rows: HistoryRows,
  row: { readonly mint: Address; readonly bucket: Bucket; readonly resolutionMs: number },
): void {
  const { last, lowestC10Sol, lowestDepthSol, wasUnknown } = row.bucket;
  rows.mint.push(row.mint);
  rows.at.push(new Date(last.atMs));
  rows.c10_sol.push(last.c10Sol);
  rows.depth_sol.push(last.depthSol);
  for (const [index, name] of SLIPPAGE_COLUMNS.entries())
    rows[name].push(last.slippagesPct[index] ?? null);
  rows.confidence.push(last.confidence);
  rows.basis.push(BigInt(last.basis));
  rows.resolution_seconds.push(row.resolutionMs / 1_000);
  rows.c10_lowest_sol.push(lowestC10Sol);
  rows.depth_lowest_sol.push(lowestDepthSol);
  rows.known_throughout.push(!wasUnknown);
}

function emptyRows(): HistoryRows {
  return {
    mint: [],
    at: [],
    c10_sol: [],
    depth_sol: [],
    slippage_0_5_pct: [],
    slippage_1_pct: [],
    slippage_2_pct: [],
    slippage_5_pct: [],
    slippage_10_pct: [],
    slippage_50_pct: [],
    confidence: [],
    basis: [],
    resolution_seconds: [],
    c10_lowest_sol: [],
    depth_lowest_sol: [],
    known_throughout: [],
  };
}
