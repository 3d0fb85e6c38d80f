import type { Market } from "#src/measure/market.ts";
import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { decodeMint, type Mint } from "#src/venues/token/mint.ts";
import type { Clock } from "#src/venues/venue.ts";
import { buildMarket } from "./build-market.ts";
import { blockTimeMs, clockOf } from "./chain-clock.ts";
import { accountsNeeded, type LoadedAccounts } from "./gather-accounts.ts";
import {
  type FoundPools,
  type LoadDeps,
  type LoadedToken,
  loadHopPools,
  loadToken,
} from "./load-token.ts";
import { openPool, outlineOf, type PoolRef } from "./open-pool.ts";
import { isStable, quoteMintFor } from "./quote-mints.ts";

/** Reads of everything at one slot: the second where the price moved on to new tick or bin arrays. */
const MAX_CONSISTENT_READS = 2;

export type LoadedMarket =
  | {
      readonly kind: "market";
      readonly market: Market;
      /** Every account behind it, the mint and the Clock sysvar included; null: it does not exist. */
      readonly accounts: ReadonlyMap<Address, Account | null>;
      /** Queries for pools that the provider refused. */
      readonly refusals: readonly string[];
    }
  /** No such token, or a complete search found no pool of it. */
  | { readonly kind: "not-found" };

/**
 * From a mint to everything one assessment is made of, once: pools found, their accounts loaded, and
 * then all of them read again together, so that they stand at one slot.
 *
 * @throws AppError chain_unavailable where the node can't be reached
 */
export async function loadMarket(
  deps: LoadDeps,
  mint: Address,
  signal?: AbortSignal,
): Promise<LoadedMarket> {
  const first: LoadedAccounts = new Map();
  const token = await loadToken(deps, mint, first, signal);
  if (token.kind === "not-found") return token;
  const hops = await Promise.all(
    stablesPaid(token.found.pools, mint, first).map(async (stable) => ({
      stable,
      found: await loadHopPools(deps, stable, first, signal),
    })),
  );
  const pools = [...token.found.pools, ...hops.flatMap(({ found }) => found.pools)];
  const consistent = await readTogether(deps, { mint, pools, known: first }, signal);
  const market = marketOf(deps, { mint, token, hops, ...consistent });
  return {
    kind: "market",
    market,
    accounts: consistent.known,
    refusals: [token.found, ...hops.map(({ found }) => found)].flatMap(({ refusals }) => refusals),
  };
}

/** The stables that these pools pay in. */
export function stablesPaid(
  pools: readonly PoolRef[],
  mint: Address,
  known: LoadedAccounts,
): readonly Address[] {
  const stables = new Set<Address>();
  for (const pool of pools) {
    const outline = outlineOf(pool, known);
    const quoteMint = outline === null ? null : quoteMintFor(mint, outline);
    if (quoteMint !== null && isStable(quoteMint)) stables.add(quoteMint);
  }
  return [...stables];
}

type Consistent = { readonly known: LoadedAccounts; readonly slot: bigint; readonly clock: Clock };

async function readTogether(
  deps: LoadDeps,
  wanted: { readonly mint: Address; readonly pools: readonly PoolRef[]; known: LoadedAccounts },
  signal: AbortSignal | undefined,
): Promise<Consistent> {
  let needed = addressesOf(wanted.mint, wanted.pools, wanted.known);
  for (let attempt = 1; ; attempt++) {
    const read = await deps.source.readAccounts([...needed], signal);
    const known: LoadedAccounts = new Map(read.accounts);
    const clock = clockOf(known) ?? (await deps.source.readHead(signal)).clock;
    const now = addressesOf(wanted.mint, wanted.pools, known);
    const isComplete = [...now].every((address) => needed.has(address));
    if (isComplete || attempt === MAX_CONSISTENT_READS) {
      return { known, slot: minBigint(read.slot, clock.slot), clock };
    }
    needed = new Set([...needed, ...now]);
  }
}

function addressesOf(
  mint: Address,
  pools: readonly PoolRef[],
  known: LoadedAccounts,
): ReadonlySet<Address> {
  const addresses = new Set<Address>([CLOCK_SYSVAR, mint]);
  for (const pool of pools) {
    for (const address of accountsNeeded(pool, known)) addresses.add(address);
  }
  return addresses;
}

type MarketParts = Consistent & {
  readonly mint: Address;
  readonly token: LoadedToken & { readonly kind: "token" };
  readonly hops: readonly { readonly stable: Address; readonly found: FoundPools }[];
};

function marketOf(deps: LoadDeps, parts: MarketParts): Market {
  const { mint, token, hops, known, clock } = parts;
  const mintFacts: Mint | null = decodeMint(known.get(mint)) ?? token.mintFacts;
  const stateTimeMs = blockTimeMs(clock);
  const input = {
    mint,
    mintFacts,
    pools: token.found.pools.map((pool) => openPool(pool, mint, known)),
    stablePools: hops.flatMap(({ stable, found }) =>
      found.pools.map((pool) => openPool(pool, stable, known)),
    ),
    leftOut: token.found.leftOut,
    isSearchComplete: token.found.isSearchComplete,
    clock,
    slot: parts.slot,
    stateTimeMs,
    // Recorded accounts stand still, and the time at which they are judged stands still with them.
    nowMs: deps.source.origin === "recorded" ? stateTimeMs : deps.nowMs(),
    historySeconds: null,
    exactPctByVenue: new Map(),
  };
  return buildMarket(input, known);
}
