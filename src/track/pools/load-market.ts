import type { Market } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import { CLOCK_SYSVAR, isMoney } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { decodeMint, type Mint } from "#src/venues/shared/token/mint.ts";
import type { Clock } from "#src/venues/venue.ts";
import { buildMarket, unsearchedHops } from "./build-market.ts";
import { blockTimeMs, clockOf } from "./chain-clock.ts";
import { accountsNeeded, type LoadedAccounts } from "./gather-accounts.ts";
import { hopMintsOf, launchpadQuotes } from "./hop-mints.ts";
import { loadChain, MAX_CHAIN_HOPS } from "./load-chain.ts";
import {
  allOf,
  type FoundPools,
  hasNoMarket,
  type LoadDeps,
  type LoadedToken,
  loadHopPools,
  loadToken,
  MAX_HOPS,
} from "./load-token.ts";
import { clockFor, openPool, type PoolRef } from "./open-pool.ts";

/** Reads of all accounts at one slot. The second is needed if the price moved to new tick or bin arrays. */
const MAX_CONSISTENT_READS = 2;

export type LoadedMarket =
  | {
      readonly kind: "market";
      readonly market: Market;
      /** Every account behind it, including the mint and the Clock sysvar; null: does not exist. */
      readonly accounts: ReadonlyMap<Address, Account | null>;
      /** The clock of its quotes. */
      readonly clock: Clock;
      /** Pool queries that the provider refused. */
      readonly refusals: readonly string[];
    }
  /** The token does not exist, or a complete search found no pool of it. */
  | Extract<LoadedToken, { readonly kind: "not-found" }>;

/**
 * Loads the market of a mint for a single assessment: finds the pools, loads their accounts, then
 * reads all accounts again together so that they are of one slot.
 *
 * @throws AppError chain_unavailable if the node can't be reached
 */
export async function loadMarket(deps: LoadDeps, mint: Address): Promise<LoadedMarket> {
  const first: LoadedAccounts = new Map();
  const staged = await loadToken(deps, mint, first);
  if (staged.kind === "not-found") return staged;
  const found = await allOf(staged, first);
  if (hasNoMarket(found)) return { kind: "not-found" };
  const token = { ...staged, found };
  const hops = await loadHops(deps, { mint, pools: found.pools }, first);
  const pools = [...token.found.pools, ...hops.flatMap(({ found }) => found.pools)];
  const consistent = await readTogether(deps, { mint, pools, known: first });
  return {
    kind: "market",
    ...marketOf(deps, { mint, token, hops, ...consistent }),
    accounts: consistent.known,
    refusals: [token.found, ...hops.map(({ found }) => found)].flatMap(({ refusals }) => refusals),
  };
}

type LoadedHop = { readonly mint: Address; readonly found: FoundPools };

/** The pools behind the token's pools, and behind those; of coins of a launchpad the whole chain. */
async function loadHops(
  deps: LoadDeps,
  { mint: token, pools }: { readonly mint: Address; readonly pools: readonly PoolRef[] },
  known: LoadedAccounts,
): Promise<readonly LoadedHop[]> {
  const loaded = new Map<Address, LoadedHop>();
  const mints = hopMintsOf({ mint: token, except: null }, pools, known);
  const quotes = launchpadQuotes(token, pools, known);
  const start = {
    mints: mints.filter((mint) => quotes.has(mint)),
    hops: MAX_CHAIN_HOPS,
    isKnown: (mint: Address) => mint === token,
  };
  const { coins, ends } = await loadChain(deps, start, known);
  for (const [mint, found] of coins) loaded.set(mint, { mint, found });
  let level = [...new Set([...mints, ...ends])].filter((mint) => !loaded.has(mint));
  for (let hop = 0; hop < MAX_HOPS && level.length > 0; hop++) {
    const found = await Promise.all(
      level.map(async (mint) => ({
        mint,
        found: await allOf(await loadHopPools(deps, mint, known), known),
      })),
    );
    for (const one of found) loaded.set(one.mint, one);
    const next = found.flatMap(({ mint, found: { pools } }) =>
      hopMintsOf({ mint, except: token }, pools, known),
    );
    level = [...new Set(next)].filter((mint) => !loaded.has(mint));
  }
  return [...loaded.values()];
}

type Consistent = { readonly known: LoadedAccounts; readonly slot: bigint; readonly clock: Clock };

async function readTogether(
  deps: LoadDeps,
  wanted: { readonly mint: Address; readonly pools: readonly PoolRef[]; known: LoadedAccounts },
): Promise<Consistent> {
  let needed = addressesOf(wanted.mint, wanted.pools, wanted.known);
  for (let attempt = 1; ; attempt++) {
    const read = await deps.source.readAccounts([...needed]);
    const known: LoadedAccounts = new Map(read.accounts);
    const clock = clockOf(known) ?? (await deps.source.readClock());
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
    if (!isMoney(pool.mint)) addresses.add(pool.mint);
    for (const address of accountsNeeded(pool, known)) addresses.add(address);
  }
  return addresses;
}

type MarketParts = Consistent & {
  readonly mint: Address;
  readonly token: LoadedToken & { readonly kind: "token" };
  readonly hops: readonly LoadedHop[];
};

function marketOf(
  deps: LoadDeps,
  parts: MarketParts,
): { readonly market: Market; readonly clock: Clock } {
  const { mint, token, hops, known, clock } = parts;
  const mintFacts: Mint | null = decodeMint(known.get(mint)) ?? token.mintFacts;
  const stateTimeMs = blockTimeMs(clock);
  const input = {
    mint,
    mintFacts,
    pools: token.found.pools.map((pool) => openPool(pool, mint, known)),
    hopPools: hops.flatMap((hop) => hop.found.pools.map((pool) => openPool(pool, hop.mint, known))),
    leftOut: token.found.leftOut,
    isSearchComplete: token.found.isSearchComplete,
    unsearchedHops: unsearchedHops(
      hops.map(({ mint: hop, found }) => ({ mint: hop, isSearchComplete: found.isSearchComplete })),
    ),
    awaitsGraduation: false,
    clock,
    slot: parts.slot,
    stateTimeMs,
    // Recorded accounts never change, so they are assessed at the time of the recording.
    nowMs: deps.source.origin === "recorded" ? stateTimeMs : deps.clock.nowMs(),
    historySeconds: null,
    exactPctByVenue: new Map(),
  };
  return {
    market: buildMarket(input, known),
    clock: clockFor([...input.pools, ...input.hopPools], clock),
  };
}
