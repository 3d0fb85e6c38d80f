import type { ChainSource } from "#src/chain/chain-source.ts";
import type { UnpricedPool } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import { isMoney, WSOL } from "#src/units/known-addresses.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import { accountsNeeded, gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import { hopMintsOf } from "./hop-mints.ts";
import { outlineOf, type PoolRef } from "./open-pool.ts";
import { heldOf, quoteMintFor } from "./quote-mints.ts";

/** Pools of one token that are followed, of those that pay in SOL or a stable. */
export const MAX_POOLS = 40;
/** Pools followed besides that pay in another mint, where there are too many. */
const MAX_OTHER_POOLS = 8;
/** Pools of one search whose vaults are read, 100 accounts a call. */
export const MAX_WEIGHED = 10_000;
/** A vault is known at the latest after the pool's configuration and the accounts that name it. */
const WEIGHING_ROUNDS = 4;
/** A rough weight for choosing only: what a stable's unit (6 decimals) is worth in lamports. */
const LAMPORTS_PER_STABLE_UNIT = 5n;

export type Choice = {
  readonly pools: readonly PoolRef[];
  /** The pools left out, one entry for those that are weighed and one for the others: they count as known and not priced. */
  readonly leftOut: readonly UnpricedPool[];
  /** The addresses of those whose weight is known. */
  readonly weighedOut: readonly Address[];
  /** False where there were more pools than could be weighed. */
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
 * The candidates that sell the mint; where they are too many, those whose quote vaults hold the most
 * (method.md section 1). A pool is left out only if `limit` others hold more: anyone can create
 * thousands of pools, at any address that is not reserved for a launchpad's own. Pools that pay another token
 * compete with those that pay the same one, by what they hold of it.
 */
export async function choosePools(source: ChainSource, input: ChoiceInput): Promise<Choice> {
  const { mint, known, limit } = input;
  const paying = input.candidates.filter((pool) => mayPay(pool, mint, known));
  if (paying.length <= limit)
    return { pools: paying, leftOut: [], weighedOut: [], isComplete: true };

  const byVenue = Map.groupBy(paying, ({ venue }) => venue.id);
  const weighable = inTurn([...byVenue.values()]).slice(0, MAX_WEIGHED);
  await readVaults(source, weighable, input);
  const weighed = weighable.map((pool) => weighedPool(pool, mint, known)).toSorted(compareWeights);
  const hopMints = hopMintsOf({ mint, except: null }, weighable, known);
  const money = weighed.filter(({ isMoney }) => isMoney);
  const others = inTurn(
    hopMints.map((hop) => weighed.filter((one) => !one.isMoney && one.quoteMint === hop)),
  );
  const chosen = new Set([
    ...weighed.filter(({ pool }) => pool.isReserved),
    ...money.slice(0, limit),
    ...others.slice(0, Math.min(limit, MAX_OTHER_POOLS)),
  ]);
  const dropped = weighed.filter((pool) => !chosen.has(pool));
  return {
    pools: [...chosen].map(({ pool }) => pool),
    leftOut: [
      ...summarize(dropped.filter(isInLamports)),
      ...summarize(dropped.filter((pool) => !isInLamports(pool))),
    ],
    weighedOut: dropped.flatMap(({ pool, weight }) => (weight === null ? [] : [pool.address])),
    isComplete: paying.length <= MAX_WEIGHED,
  };
}

type WeighedPool = {
  readonly pool: PoolRef;
  /** Null while the pair can't be read. */
  readonly quoteMint: Address | null;
  readonly isMoney: boolean;
  /** Lamports where it pays in SOL or a stable; else units of its quote mint. Null: unreadable. */
  readonly weight: bigint | null;
};

/** False only where the pair is readable and is not one we count. */
function mayPay(pool: PoolRef, mint: Address, known: LoadedAccounts): boolean {
  const outline = outlineOf(pool, known);
  return outline === null || quoteMintFor(mint, outline) !== null;
}

/** The first of each queue, then the second of each, and so on: no queue pushes out another. */
function inTurn<Item>(queues: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) =>
    queues.flatMap((queue) => queue[place] ?? []),
  ).flat();
}

/** Reads what the pools' vaults hold, and of the rest only what names the vaults. */
async function readVaults(
  source: ChainSource,
  pools: readonly PoolRef[],
  { mint, known, signal }: ChoiceInput,
): Promise<void> {
  const needed = (pool: PoolRef, loaded: AccountSet) => accountsToWeigh(pool, mint, loaded);
  await gatherAccounts(source, pools, known, { rounds: WEIGHING_ROUNDS, needed, signal });
}

function accountsToWeigh(pool: PoolRef, mint: Address, known: AccountSet): readonly Address[] {
  const outline = outlineOf(pool, known);
  const quoteMint = quoteMintFor(mint, outline);
  if (outline === null || quoteMint === null) return accountsNeeded(pool, known);
  // Of another token, what is held of both: quote mints are chosen by the token's side, and their pools by the other.
  const unread = (isMoney(quoteMint) ? [quoteMint] : [mint, quoteMint]).filter(
    (wanted) => heldOf(outline, wanted) === null,
  );
  const vaults = unread.map((wanted) =>
    outline.mintA === wanted ? outline.vaultA : outline.vaultB,
  );
  return vaults.includes(undefined)
    ? accountsNeeded(pool, known)
    : vaults.flatMap((vault) => vault ?? []);
}

function weighedPool(pool: PoolRef, mint: Address, known: LoadedAccounts): WeighedPool {
  const outline = outlineOf(pool, known);
  const quoteMint = quoteMintFor(mint, outline);
  if (quoteMint === null) return { pool, quoteMint, isMoney: true, weight: null };
  if (!isMoney(quoteMint)) {
    return { pool, quoteMint, isMoney: false, weight: heldOf(outline, quoteMint) };
  }
  const held = heldOf(outline, quoteMint);
  const weight = held === null || quoteMint === WSOL ? held : held * LAMPORTS_PER_STABLE_UNIT;
  return { pool, quoteMint, isMoney: true, weight };
}

function compareWeights(a: WeighedPool, b: WeighedPool): number {
  const left = a.weight ?? -1n;
  const right = b.weight ?? -1n;
  if (left !== right) return left > right ? -1 : 1;
  return a.pool.address < b.pool.address ? -1 : 1;
}

function isInLamports({ isMoney, weight }: WeighedPool): boolean {
  return isMoney && weight !== null;
}

/** Left-out pools as one: by their weight in lamports, or as pools that can't be weighed. */
function summarize(dropped: readonly WeighedPool[]): readonly UnpricedPool[] {
  const [largest] = dropped;
  if (largest === undefined) return [];
  const lamports = dropped.reduce((sum, { weight }) => sum + (weight ?? 0n), 0n);
  return [
    {
      venue: largest.pool.venue.id,
      family: largest.pool.venue.family,
      kind: "amm",
      address: largest.pool.address,
      reason: "unsupported",
      detail: `${dropped.length} pools that hold less than the ${MAX_POOLS} that are followed`,
      ...(isInLamports(largest)
        ? { quoteHeld: lamports, quoteMint: WSOL }
        : { quoteHeld: null, quoteMint: largest.quoteMint }),
    },
  ];
}
