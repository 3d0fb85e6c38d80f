import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { type DayPlace, readDayHours } from "#src/store/samples.ts";
import type { Store } from "#src/store/schema.ts";
import { unpackHour } from "#src/track/history/sample-block.ts";
import { ParquetFile } from "./parquet-file.ts";

/** Rows of the database in one page; with a sample every five minutes at least, 24,000 samples or more. */
const HOURS_PER_PAGE = 2_000;

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
} as const;

const SLIPPAGE_COLUMNS = STANDARD_SIZES.map(
  (size) => `slippage_${size.replace(".", "_")}_pct` as keyof typeof COLUMNS,
);

/**
 * Writes the samples of all tokens of one day, by token and time. A sample holds until the next one of
 * its token; figures are null while the token was blocked.
 *
 * @param day whole days since 1970 in UTC
 * @returns the number of rows
 */
export async function exportHistoryDay(
  { db }: Pick<Store, "db">,
  { day, path }: { readonly day: number; readonly path: string },
): Promise<number> {
  const file = new ParquetFile(path, COLUMNS);
  let after: DayPlace | null = null;
  for (;;) {
    const hours = await readDayHours(db, { day, after, limit: HOURS_PER_PAGE });
    const last = hours.at(-1);
    if (last === undefined) return file.finish();
    const rows = emptyRows();
    for (const { mint, hour, data } of hours) {
      for (const sample of unpackHour(hour, data)) {
        rows.mint.push(mint);
        rows.at.push(new Date(sample.atMs));
        rows.c10_sol.push(sample.c10Sol);
        rows.depth_sol.push(sample.depthSol);
        for (const [index, name] of SLIPPAGE_COLUMNS.entries())
          rows[name].push(sample.slippagePct[index] ?? null);
        rows.confidence.push(sample.confidence);
        rows.basis.push(BigInt(sample.basis));
      }
    }
    await file.write(rows);
    after = last;
  }
}

function emptyRows(): Record<keyof typeof COLUMNS, unknown[]> {
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
  };
}
