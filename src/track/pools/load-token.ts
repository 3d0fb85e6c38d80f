import type { AccountsRead } from "#src/chain/chain-source.ts";
import type { UnpricedPool } from "#src/measure/market/market.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { TokenNames } from "#src/store/tokens.ts";
import type { Address } from "#src/units/address.ts";
import { minBigint } from "#src/units/integer.ts";
import {
  CLOCK_SYSVAR,
  isStable,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL,
} from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { decodeMint, type Mint } from "#src/venues/shared/token/mint.ts";
import type { Venue } from "#src/venues/venue.ts";
import { choosePools, MAX_POOLS } from "./choose-pools.ts";
import { derivedRefs } from "./derived-pools.ts";
import {
  type Discovery,
  type DiscoveryDeps,
  discoverInStages,
  type PoolQuery,
  type StagedDiscovery,
  type VenueFilter,
} from "./discover-pools.ts";
import { gatherTogether, type LoadedAccounts } from "./gather-accounts.ts";
import { hopMintsOf, launchpadQuotes } from "./hop-mints.ts";
import type { PoolRef } from "./open-pool.ts";
import { tokenOfPool } from "./pool-token.ts";
import { metadataAddress, tokenNames } from "./token-names.ts";

/** Pools of a quote mint that are kept as hops; a route uses one of them. */
const MAX_HOP_POOLS = 4;
/**
 * Hops that follow a pool of the token: a quote mint's own pool, and the pool of what that pays in.
 * Coins that a launchpad quotes in each other are followed farther (load-chain.ts).
 */
export const MAX_HOPS = 2;
const MINT_BYTES = 82;
const ACCOUNT_KIND_AT = 165;
const KIND_MINT = 1;
/** Longer than a mint with its extensions, its metadata, and a pool. */
const START_BYTES = 4_096;

export type LoadDeps = DiscoveryDeps & { readonly clock: WallClock };

/** The pools of one mint as a search found them. */
export type FoundPools = {
  readonly pools: readonly PoolRef[];
  /** Addresses at which a pool of the mint can appear later. */
  readonly vacant: readonly PoolRef[];
  /** No venue was searched: the pools are those at derived addresses, or of the stream. */
  readonly isDerivedOnly: boolean;
  /** The pools left out because there are too many, summed by what they pay in. */
  readonly leftOut: readonly UnpricedPool[];
  /** The addresses of those that were weighed; absent: none was. */
  readonly weighedOut?: readonly Address[];
  readonly isSearchComplete: boolean;
  /** The slot up to which a complete search has seen every pool; null: it was incomplete. */
  readonly searchedSlot: bigint | null;
  readonly refusals: readonly string[];
};

/** The pools found by cheap calls, and those that slow searches find later. */
export type StagedPools = {
  readonly found: FoundPools;
  /** A read of one slot with every account behind these pools, the mint, the vacant addresses and the clock; null: none was made. */
  readonly together: AccountsRead | null;
  /** Pools that further calls find, with their accounts; null: `found` is complete. Rejects if the node can't be reached. */
  readonly rest: Promise<LaterPools> | null;
};
export type LaterPools = StagedPools & { readonly loaded: LoadedAccounts };

export type LoadedToken =
  | {
      readonly kind: "token";
      readonly mintFacts: Mint | null;
      readonly names: TokenNames;
      readonly found: FoundPools;
      readonly together: StagedPools["together"];
      readonly rest: StagedPools["rest"];
      /** The quote mints whose own pools make the hops into SOL. */
      readonly hopMints: readonly Address[];
      /** Those that a launchpad's own pool of the token pays in. */
      readonly launchpadQuotes: ReadonlySet<Address>;
    }
  /** The token does not exist, or a complete search found no pool of it. */
  | {
      readonly kind: "not-found";
      /** The address is not a mint but a pool of this token. */
      readonly poolOf?: Address;
    };

/**
 * Loads a token: its mint, names and pools, with every account behind them stored in `known`.
 *
 * @throws AppError chain_unavailable if the node can't be reached, or does not return the mint account
 */
export async function loadToken(
  deps: LoadDeps,
  mint: Address,
  known: LoadedAccounts,
  signal?: AbortSignal,
): Promise<LoadedToken> {
  if (mint === WSOL) return { kind: "not-found" };
  const metadata = metadataAddress(mint);
  const derivedRead = await readStart(deps, [mint, metadata], signal);
  for (const address of [mint, metadata]) {
    const account = derivedRead.accounts.get(address);
    if (account !== undefined) known.set(address, account);
  }
  const mintAccount = known.get(mint);
  if (mintAccount === undefined) {
    throw new AppError("chain_unavailable", {
      publicMessage: "The Solana node did not deliver this token's mint account; try again.",
      context: { mint },
    });
  }
  if (mintAccount !== null && !isMint(mintAccount)) {
    const poolOf = tokenOfPool(deps.venues, mint, mintAccount);
    return poolOf === null ? { kind: "not-found" } : { kind: "not-found", poolOf };
  }
  // A mint that is absent or unreadable can still have pools: they are reported, but not priced. An
  // absent one costs no search: anybody can make up any number of addresses.
  const mintFacts = decodeMint(mintAccount);
  const isDerivedOnly = mintAccount === null;
  const options = { signal, isDerivedOnly, derivedRead, keep: MAX_POOLS };
  const { found, together, rest } = await findPools(deps, mint, known, options);
  if (hasNoMarket(found)) return { kind: "not-found" };
  const names = tokenNames({ address: mint, facts: mintFacts }, known.get(metadata));
  return {
    kind: "token",
    mintFacts,
    names,
    found,
    together,
    rest,
    hopMints: hopMintsOf({ mint, except: null }, found.pools, known),
    launchpadQuotes: launchpadQuotes(mint, found.pools, known),
  };
}

/** Whether a complete search found no pool, not even one that is known by name alone. */
export function hasNoMarket({ pools, leftOut, isSearchComplete }: FoundPools): boolean {
  return isSearchComplete && pools.length === 0 && leftOut.length === 0;
}

type SearchOptions = {
  readonly signal?: AbortSignal | undefined;
  /** As in PoolQuery. */
  readonly followed?: readonly PoolRef[];
};

/** The pools that sell the mint, with every account behind them loaded into `known`. */
export async function findTokenPools(
  deps: LoadDeps,
  mint: Address,
  known: LoadedAccounts,
  options: SearchOptions,
): Promise<FoundPools> {
  return await allOf(await findPools(deps, mint, known, { ...options, keep: MAX_POOLS }), known);
}

/** Waits for the slow searches too, and adds their accounts to `known`. */
export async function allOf(
  first: Pick<StagedPools, "found" | "rest">,
  known: LoadedAccounts,
): Promise<FoundPools> {
  let staged = first;
  while (staged.rest !== null) {
    const later = await staged.rest;
    for (const [address, account] of later.loaded) known.set(address, account);
    staged = later;
  }
  return staged.found;
}

/**
 * The pools that sell another token's quote mint, as hops into SOL, loaded into `known`: of a stable its
 * SOL pools alone.
 */
export async function loadHopPools(
  deps: LoadDeps,
  mint: Address,
  known: LoadedAccounts,
  options: SearchOptions = {},
): Promise<StagedPools> {
  return await findPools(deps, mint, known, { ...options, keep: MAX_HOP_POOLS });
}

async function findPools(
  deps: LoadDeps,
  mint: Address,
  known: LoadedAccounts,
  { signal, ...options }: SearchOptions & Omit<PoolQuery, "mint" | "pairedWith">,
): Promise<StagedPools> {
  const query = { mint, pairedWith: pairOf(mint), ...options };
  const staged = await discoverInStages(deps, query, signal);
  return await chooseInStages(deps, query, { staged, known, signal });
}

async function chooseInStages(
  deps: LoadDeps,
  query: PoolQuery,
  {
    staged: { first, rest },
    known,
    signal,
  }: {
    readonly staged: StagedDiscovery;
    readonly known: LoadedAccounts;
    readonly signal: AbortSignal | undefined;
  },
): Promise<StagedPools> {
  const chosen = await choose(deps, query, { discovery: first, known }, signal);
  if (rest === null) return { ...chosen, rest };
  const later = rest.then(async (staged) => {
    const loaded: LoadedAccounts = new Map(known);
    return { ...(await chooseInStages(deps, query, { staged, known: loaded, signal })), loaded };
  });
  // A caller that needs it awaits it; a rejection without a caller is not an error.
  later.catch(() => undefined);
  return { ...chosen, rest: later };
}

/** The pools that are followed come first: beyond the number that can be weighed, others are cut. */
function candidatesOf({ followed = [] }: PoolQuery, { pools }: Discovery): readonly PoolRef[] {
  const found = new Map(pools.map((pool) => [pool.address, pool]));
  const kept = new Set(followed.map(({ address }) => address));
  return [
    ...followed.map((pool) => found.get(pool.address) ?? pool),
    ...pools.filter(({ address }) => !kept.has(address)),
  ];
}

/** Keeps the pools that matter, and loads every account behind them. */
async function choose(
  deps: LoadDeps,
  query: PoolQuery,
  { discovery, known }: { readonly discovery: Discovery; readonly known: LoadedAccounts },
  signal: AbortSignal | undefined,
): Promise<Omit<StagedPools, "rest">> {
  for (const [address, account] of discovery.accounts) known.set(address, account);
  const choice = await choosePools(deps.source, {
    mint: query.mint,
    candidates: candidatesOf(query, discovery),
    known,
    signal,
    limit: query.keep,
  });
  const vacant = discovery.vacant.map(({ address }) => address);
  const gathered = { pools: choice.pools, others: [query.mint, ...vacant, CLOCK_SYSVAR] };
  const together = await gatherTogether(deps.source, gathered, known, signal);
  const isSearchComplete = discovery.isComplete && choice.isComplete;
  const found = {
    pools: choice.pools,
    vacant: discovery.vacant,
    isDerivedOnly: query.isDerivedOnly === true,
    leftOut: [...choice.leftOut, ...discovery.unmodelled],
    weighedOut: choice.weighedOut,
    isSearchComplete,
    searchedSlot: isSearchComplete ? discovery.slot : null,
    refusals: discovery.refusals,
  };
  return { found, together };
}

/**
 * The mint, its metadata and the addresses at which its launchpad pools are, in one read of their first
 * bytes, because an account that isn't a mint may be of any size. Longer accounts of a token program or a
 * venue are read whole.
 */
async function readStart(
  { source, venues }: LoadDeps,
  [mint, metadata]: readonly [mint: Address, metadata: Address],
  signal: AbortSignal | undefined,
): Promise<AccountsRead> {
  const derived = derivedRefs(venues, { mint, pairedWith: pairOf(mint) });
  // With the clock: a node that has lost its state is not taken for one that does not know the mint.
  const addresses = [CLOCK_SYSVAR, mint, metadata, ...derived.map(({ address }) => address)];
  if (source.readAccountStarts === undefined) return await source.readAccounts(addresses, signal);
  const { slot, accounts } = await source.readAccountStarts(addresses, START_BYTES, signal);
  const owners = new Set([TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ...venues.map((it) => it.programId)]);
  const isCut = (account: Account | null): boolean =>
    account !== null && account.data.length >= START_BYTES && owners.has(account.owner);
  const cut = [...accounts].flatMap(([address, account]) => (isCut(account) ? [address] : []));
  if (cut.length === 0) return { slot, accounts };
  const whole = await source.readAccounts(cut, signal);
  return { slot: minBigint(slot, whole.slot), accounts: new Map([...accounts, ...whole.accounts]) };
}

/** The queries that find the pools of a mint, for subscriptions to new ones. */
export function filtersFor(
  venues: readonly Venue<unknown>[],
  mint: Address,
): readonly VenueFilter[] {
  return venues.flatMap((venue) =>
    venue.search(mint, pairOf(mint)).filters.map((filter) => ({ venue, filter })),
  );
}

function pairOf(mint: Address): Address | null {
  return isStable(mint) ? WSOL : null;
}

/** Mints of both token programs have 82 bytes, or state their kind after those of a token account. */
export function isMint({ owner, data }: Pick<Account, "owner" | "data">): boolean {
  if (!isTokenProgram(owner)) return false;
  if (data.length <= MINT_BYTES) return data.length === MINT_BYTES;
  return owner === TOKEN_2022_PROGRAM && data[ACCOUNT_KIND_AT] === KIND_MINT;
}

function isTokenProgram(owner: Address): boolean {
  return owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;
}
