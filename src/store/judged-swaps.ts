import type { Generated, Kysely, Selectable } from "kysely";
import { chunksOf } from "#src/platform/chunks.ts";
import type { Schema } from "./schema.ts";

export type JudgedSwapsTables = {
  judged_swaps: {
    id: Generated<bigint>;
    at_ms: bigint;
    venue: string;
    pool: string;
    slot: bigint;
    signature: string;
    /** Why it was not replayed; null if it was. */
    skipped: string | null;
    input_mint: string | null;
    output_mint: string | null;
    /** Base units as decimal text: 64 bits without a sign. */
    amount_in: string | null;
    executed: string | null;
    /** Null if the model refuses the swap, or if it was not replayed. */
    modelled: string | null;
  };
};

export type StoredSwap = {
  readonly atMs: number;
  readonly venue: string;
  readonly pool: string;
  readonly slot: bigint;
  readonly signature: string;
  readonly outcome:
    | { readonly kind: "skipped"; readonly reason: string }
    | {
        readonly kind: "replayed";
        readonly inputMint: string;
        readonly outputMint: string;
        readonly amountIn: bigint;
        readonly executed: bigint;
        readonly modelled: bigint | null;
      };
};

const ROWS_PER_STATEMENT = 100;
const NOT_REPLAYED = {
  input_mint: null,
  output_mint: null,
  amount_in: null,
  executed: null,
  modelled: null,
};

/** Adds swaps in the order given and keeps the `kept` newest of each venue. */
export async function writeJudgedSwaps(
  db: Kysely<Schema>,
  swaps: readonly StoredSwap[],
  kept: number,
): Promise<void> {
  for (const some of chunksOf(swaps, ROWS_PER_STATEMENT))
    await db.insertInto("judged_swaps").values(some.map(rowOf)).execute();
  for (const venue of new Set(swaps.map((swap) => swap.venue))) {
    const oldest = await db
      .selectFrom("judged_swaps")
      .select("id")
      .where("venue", "=", venue)
      .orderBy("id", "desc")
      .limit(1)
      .offset(kept - 1)
      .executeTakeFirst();
    if (oldest === undefined) continue;
    await db
      .deleteFrom("judged_swaps")
      .where("venue", "=", venue)
      .where("id", "<", oldest.id)
      .execute();
  }
}

/** The newest swaps, of one venue or of all (null), newest first. */
export async function readJudgedSwaps(
  db: Kysely<Schema>,
  { venue, limit }: { readonly venue: string | null; readonly limit: number },
): Promise<readonly StoredSwap[]> {
  const all = db.selectFrom("judged_swaps").selectAll();
  const some = venue === null ? all : all.where("venue", "=", venue);
  const rows = await some.orderBy("id", "desc").limit(limit).execute();
  return rows.flatMap((row) => swapOf(row) ?? []);
}

/** A stored swap with its place in the order of writing. */
export type PlacedSwap = StoredSwap & { readonly id: bigint };

/** The swaps of a span of time in the order of writing: the next `limit` after an id. */
export async function readSwapsBetween(
  db: Kysely<Schema>,
  span: { readonly fromMs: number; readonly toMs: number; after: bigint; limit: number },
): Promise<readonly PlacedSwap[]> {
  const rows = await db
    .selectFrom("judged_swaps")
    .selectAll()
    .where("at_ms", ">=", BigInt(span.fromMs))
    .where("at_ms", "<", BigInt(span.toMs))
    .where("id", ">", span.after)
    .orderBy("id")
    .limit(span.limit)
    .execute();
  return rows.flatMap((row) => {
    const swap = swapOf(row);
    return swap === null ? [] : { id: row.id, ...swap };
  });
}

function rowOf({ atMs, venue, pool, slot, signature, outcome }: StoredSwap) {
  const swap = { at_ms: BigInt(atMs), venue, pool, slot, signature };
  if (outcome.kind === "skipped") return { ...swap, skipped: outcome.reason, ...NOT_REPLAYED };
  const { inputMint, outputMint, amountIn, executed, modelled } = outcome;
  return {
    ...swap,
    skipped: null,
    input_mint: inputMint,
    output_mint: outputMint,
    amount_in: String(amountIn),
    executed: String(executed),
    modelled: modelled === null ? null : String(modelled),
  };
}

type JudgedSwapRow = Selectable<JudgedSwapsTables["judged_swaps"]>;

/** Null for a row that is neither skipped nor completely replayed: not written by this service. */
function swapOf(row: JudgedSwapRow): StoredSwap | null {
  const outcome = outcomeOf(row);
  if (outcome === null) return null;
  const { at_ms, venue, pool, slot, signature } = row;
  return { atMs: Number(at_ms), venue, pool, slot, signature, outcome };
}

function outcomeOf(row: JudgedSwapRow): StoredSwap["outcome"] | null {
  const { skipped, input_mint, output_mint, amount_in, executed, modelled } = row;
  if (skipped !== null) return { kind: "skipped", reason: skipped };
  if (input_mint === null || output_mint === null || amount_in === null || executed === null) {
    return null;
  }
  return {
    kind: "replayed",
    inputMint: input_mint,
    outputMint: output_mint,
    amountIn: BigInt(amount_in),
    executed: BigInt(executed),
    modelled: modelled === null ? null : BigInt(modelled),
  };
}
