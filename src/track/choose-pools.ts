import type { ChainSource } from "#src/chain/chain-source.ts";
import type { UnpricedPool } from "#src/measure/market.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import { outlineOf, type PoolRef } from "./open-pool.ts";
import { heldOf, quoteMintFor } from "./quote-mints.ts";

/** Pools of one token that are priced: more are not worth an exit's attention. */
export const MAX_POOLS = 40;
/** Pools whose vaults are looked at to find the ones above. */
const MAX_WEIGHED = 2_000;
/** A rough weight for choosing only: what a stable's unit (6 decimals) is worth in lamports. */
const LAMPORTS_PER_STABLE_UNIT = 5n;

export type Choice = {
  readonly pools: readonly PoolRef[];
  /** The pools left out, as one: what they hold together counts as known and not priced. */
  readonly leftOut: UnpricedPool | null;
  /** False where there were more pools than could even be weighed. */
  readonly isComplete: boolean;
};

export type ChoiceInput = {
  readonly mint: Address;
  readonly candidates: readonly PoolRef[];
  readonly known: LoadedAccounts;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The candidates that sell the mint for SOL or a stable; where they are too many, those at derived
 * addresses and then those whose quote vaults hold most. Anyone can make thousands of pools, so what
 * is left out is bounded by weight, not by luck, and is said.
 */
export async function choosePools(source: ChainSource, input: ChoiceInput): Promise<Choice> {
  const { mint, known, limit } = input;
  const paying = input.candidates.filter((pool) => mayPay(pool, mint, known));
  if (paying.length <= limit) return { pools: paying, leftOut: null, isComplete: true };

  const inOrder = paying.toSorted((a, b) => Number(b.isDerived) - Number(a.isDerived));
  const weighed = inOrder.slice(0, MAX_WEIGHED);
  await gatherAccounts(source, weighed, known, { rounds: 2, signal: input.signal });
  const byWeight = weighed
    .map((pool) => ({ pool, weight: weightOf(pool, mint, known) }))
    .toSorted((a, b) => compareWeights(a, b));
  const dropped = byWeight.slice(limit);
  return {
    pools: byWeight.slice(0, limit).map(({ pool }) => pool),
    leftOut: summarize(dropped),
    isComplete: paying.length <= MAX_WEIGHED,
  };
}

type Weighed = { readonly pool: PoolRef; readonly weight: bigint | null };

/** False only where the pair is readable and is not one we count. */
function mayPay(pool: PoolRef, mint: Address, known: LoadedAccounts): boolean {
  const outline = outlineOf(pool, known);
  return outline === null || quoteMintFor(mint, outline) !== null;
}

function weightOf(pool: PoolRef, mint: Address, known: LoadedAccounts): bigint | null {
  const outline = outlineOf(pool, known);
  const quoteMint = outline === null ? null : quoteMintFor(mint, outline);
  if (quoteMint === null) return null;
  const held = heldOf(outline, quoteMint);
  return held === null || quoteMint === WSOL ? held : held * LAMPORTS_PER_STABLE_UNIT;
}

function compareWeights(a: Weighed, b: Weighed): number {
  if (a.pool.isDerived !== b.pool.isDerived) return a.pool.isDerived ? -1 : 1;
  const left = a.weight ?? -1n;
  const right = b.weight ?? -1n;
  if (left !== right) return left > right ? -1 : 1;
  return a.pool.address < b.pool.address ? -1 : 1;
}

function summarize(dropped: readonly Weighed[]): UnpricedPool | null {
  const [largest] = dropped;
  if (largest === undefined) return null;
  let held = 0n;
  for (const { weight } of dropped) held += weight ?? 0n;
  return {
    venue: largest.pool.venue.id,
    family: largest.pool.venue.family,
    kind: "amm",
    address: largest.pool.address,
    reason: "unsupported",
    detail: `${dropped.length} smaller pools beyond the ${MAX_POOLS} that are followed`,
    quoteHeld: held,
    quoteMint: WSOL,
  };
}
