import { MS_PER_DAY } from "#src/platform/clock.ts";
import { type PlacedSwap, readSwapsBetween } from "#src/store/judged-swaps.ts";
import type { Store } from "#src/store/schema.ts";
import { ParquetFile, type Row } from "./parquet-file.ts";

const SWAPS_PER_PAGE = 5_000;

/** Amounts are decimal text: 64 bits without a sign do not fit into INT64. */
const COLUMNS = {
  at: "TIMESTAMP",
  venue: "STRING",
  pool: "STRING",
  slot: "INT64",
  signature: "STRING",
  skipped: "STRING",
  input_mint: "STRING",
  output_mint: "STRING",
  amount_in: "STRING",
  executed: "STRING",
  modelled: "STRING",
  is_exact: "BOOLEAN",
} as const;

/**
 * Writes the judged swaps of one day that are still kept: what was executed, what the model pays.
 *
 * @param day whole days since 1970 in UTC
 * @returns the number of rows
 */
export async function exportAccuracyDay(
  { db }: Pick<Store, "db">,
  { day, path }: { readonly day: number; readonly path: string },
): Promise<number> {
  const file = new ParquetFile(path, COLUMNS);
  const span = { fromMs: day * MS_PER_DAY, toMs: (day + 1) * MS_PER_DAY };
  for (let after = 0n; ; ) {
    const swaps = await readSwapsBetween(db, { ...span, after, limit: SWAPS_PER_PAGE });
    const last = swaps.at(-1);
    if (last === undefined) return file.finish();
    for (const swap of swaps) file.add(rowOf(swap));
    await file.writeGroup();
    after = last.id;
  }
}

function rowOf({ atMs, venue, pool, slot, signature, outcome }: PlacedSwap): Row<typeof COLUMNS> {
  const swap = { at: new Date(atMs), venue, pool, slot, signature };
  if (outcome.kind === "skipped") {
    const unknown = { input_mint: null, output_mint: null, amount_in: null, executed: null };
    return { ...swap, skipped: outcome.reason, ...unknown, modelled: null, is_exact: null };
  }
  const { inputMint, outputMint, amountIn, executed, modelled } = outcome;
  return {
    ...swap,
    skipped: null,
    input_mint: inputMint,
    output_mint: outputMint,
    amount_in: String(amountIn),
    executed: String(executed),
    modelled: modelled === null ? null : String(modelled),
    is_exact: modelled === executed,
  };
}
