import type { ChainSource } from "#src/chain/chain-source.ts";
import type { UnpricedPool } from "#src/measure/market.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL } from "#src/units/known-addresses.ts";
import { decodeMint, type Mint } from "#src/venues/token/mint.ts";
import type { Venue } from "#src/venues/venue.ts";
import { choosePools, MAX_POOLS } from "./choose-pools.ts";
import { discoverPools, type PoolQuery, type VenueFilter } from "./discover-pools.ts";
import { addAll, gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import type { PoolRef } from "./open-pool.ts";
import { isStable } from "./quote-mints.ts";
import { metadataAddress, type TokenNames, tokenNames } from "./token-names.ts";

/** SOL pools of a stable that are kept for the second hop: only the deepest is used. */
const MAX_HOP_POOLS = 4;

export type LoadDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly nowMs: NowMs;
};

/** The pools of one mint as a search found them. */
export type FoundPools = {
  readonly pools: readonly PoolRef[];
  /** Addresses at which a pool of it can appear later. */
  readonly vacant: readonly PoolRef[];
  /** The queries that were run for it. */
  readonly filters: readonly VenueFilter[];
  /** Pools that were left out for their number, as one. */
  readonly leftOut: UnpricedPool | null;
  readonly isSearchComplete: boolean;
  readonly refusals: readonly string[];
};

export type LoadedToken =
  | {
      readonly kind: "token";
      readonly mintFacts: Mint | null;
      readonly names: TokenNames;
      readonly found: FoundPools;
    }
  /** No such token, or a complete search found no pool of it. */
  | { readonly kind: "not-found" };

/**
 * From a mint to its pools, with every account behind them loaded into `known`.
 *
 * @throws AppError chain_unavailable where the node can't be reached, or withholds the mint itself
 */
export async function loadToken(
  deps: LoadDeps,
  mint: Address,
  known: LoadedAccounts,
  signal?: AbortSignal,
): Promise<LoadedToken> {
  if (mint === WSOL) return { kind: "not-found" };
  const metadata = metadataAddress(mint);
  addAll(known, await deps.source.readAccounts([mint, metadata], signal));
  const mintAccount = known.get(mint);
  if (mintAccount === undefined) {
    throw new AppError("chain_unavailable", {
      publicMessage: "The Solana node did not deliver this token's mint account; try again.",
      context: { mint },
      retryable: true,
    });
  }
  if (mintAccount !== null && !isTokenProgram(mintAccount.owner)) return { kind: "not-found" };
  // A mint that is absent or unreadable can have pools all the same: they are known, and not priced.
  const mintFacts = decodeMint(mintAccount);
  const found = await findTokenPools(deps, mint, known, signal);
  if (found.pools.length === 0 && found.isSearchComplete) return { kind: "not-found" };
  const names = tokenNames({ address: mint, facts: mintFacts }, known.get(metadata));
  return { kind: "token", mintFacts, names, found };
}

/** The pools that sell the mint, with every account behind them loaded into `known`. */
export async function findTokenPools(
  deps: LoadDeps,
  mint: Address,
  known: LoadedAccounts,
  signal?: AbortSignal,
): Promise<FoundPools> {
  const pairedWith = isStable(mint) ? WSOL : null;
  return await findPools(deps, { mint, pairedWith, keep: MAX_POOLS }, known, signal);
}

/** The SOL pools of a stable that can serve as the second hop, loaded into `known`. */
export async function loadHopPools(
  deps: LoadDeps,
  stable: Address,
  known: LoadedAccounts,
  signal?: AbortSignal,
): Promise<FoundPools> {
  const query = { mint: stable, pairedWith: WSOL, keep: MAX_HOP_POOLS };
  return await findPools(deps, query, known, signal);
}

async function findPools(
  deps: LoadDeps,
  query: PoolQuery,
  known: LoadedAccounts,
  signal: AbortSignal | undefined,
): Promise<FoundPools> {
  const discovery = await discoverPools(deps, query, signal);
  for (const [address, account] of discovery.accounts) known.set(address, account);
  const choice = await choosePools(deps.source, {
    mint: query.mint,
    candidates: discovery.pools,
    known,
    signal,
    limit: query.keep,
  });
  await gatherAccounts(deps.source, choice.pools, known, { signal });
  return {
    pools: choice.pools,
    vacant: discovery.vacant,
    filters: discovery.filters,
    leftOut: choice.leftOut,
    isSearchComplete: discovery.isComplete && choice.isComplete,
    refusals: discovery.refusals,
  };
}

function isTokenProgram(owner: Address): boolean {
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
}
