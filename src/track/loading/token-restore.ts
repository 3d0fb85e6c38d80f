import type { ChainSource } from "#src/chain/chain-source.ts";
import { isRateLimit, RpcFailure } from "#src/chain/rpc/rpc-failure.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import { doubtUnread } from "../following/followed-pools.ts";
import { accountsOf, addToken, noteAsked, searchSoonAfter } from "../following/followed-tokens.ts";
import { withData } from "../following/held-account.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";
import { addGroup } from "../following/merge-found.ts";
import { REREAD_FOLLOWED_MS } from "../following/schedule.ts";
import { recordClock } from "../following/slot-times.ts";
import { clockOf } from "../pools/chain-clock.ts";
import { addAll, gatherAccounts, type LoadedAccounts } from "../pools/gather-accounts.ts";
import { hopMintsOf } from "../pools/hop-mints.ts";
import { MAX_CHAIN_HOPS } from "../pools/load-chain.ts";
import { isOwned, type PoolRef } from "../pools/open-pool.ts";
import { NO_NAMES } from "../pools/token-names.ts";
import { addHop } from "./hop-groups.ts";
import type { KnownMint, KnownTokens } from "./known-tokens.ts";

/** Number of tokens whose accounts are read together, to fill calls of a hundred accounts. */
const BATCH = 48;
const MAX_AT_ONCE = 8;
/** Pause after a failure before the next batch begins; doubled with each further failure. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** After this many failures caused by a token, it is loaded like an unknown one. */
const MAX_TRIES = 8;
/** If a token was not followed for longer than this, new pools may be missing from its stored search. */
const UNOBSERVED_MS = 10 * 60_000;

export type TokenRestoreDeps = {
  readonly source: ChainSource;
  readonly state: LiveState;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  readonly known: KnownTokens;
  readonly onRestored: (token: FollowedToken) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

type RestoreTurn = { readonly mint: Address; readonly tries: number };
type AwaitedRestore = PromiseWithResolvers<FollowedToken | null>;

/**
 * Restores the tokens that an earlier process followed. Their pools are on disk, so only the accounts are
 * read, those of many tokens in one call, and no venue is searched. Requested tokens come first, then those
 * on watchlists, then the others, the last used first. A batch that fails or hangs delays no other batch.
 */
export class TokenRestore {
  readonly #deps: TokenRestoreDeps;
  /** Null before `begin`. */
  #listing: Promise<void> | null = null;
  /** Waiting tokens, in the order of their turns. */
  readonly #waiting = new Map<Address, RestoreTurn>();
  readonly #first = new Set<Address>();
  /** Tokens of running batches. */
  readonly #reading = new Set<Address>();
  readonly #asked = new Map<Address, AwaitedRestore>();
  readonly #running = new Set<Promise<void>>();
  #pausedUntilMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  /** Batches that failed since the last success, or since a failure was attributed to tokens. */
  #failures = 0;
  /** After one failure, the tokens of that batch; after several, those that failed in a batch of their own. */
  readonly #suspects = new Set<Address>();

  constructor(deps: TokenRestoreDeps) {
    this.#deps = deps;
    deps.signal.addEventListener("abort", () => this.#rejectAsked(deps.signal.reason), {
      once: true,
    });
  }

  /** Reads the list of tokens to restore. Without the list, every token is loaded like an unknown one. */
  begin(): Promise<void> {
    this.#listing ??= this.#list();
    return this.#listing;
  }

  /** Whether the token is still to be restored, so that it need not be loaded. */
  isWaiting(mint: Address): boolean {
    return this.#waiting.has(mint) || this.#reading.has(mint);
  }

  /**
   * Restores the token before those without a request. Null: it has no stored pools, or they are no longer
   * valid, so the token has to be loaded.
   *
   * @throws AppError chain_unavailable if its accounts can't be read now; the signal's reason
   */
  async restore(mint: Address): Promise<FollowedToken | null> {
    await this.#listing?.catch(() => undefined);
    this.#deps.signal.throwIfAborted();
    const asked = this.#asked.get(mint);
    if (asked !== undefined) return await asked.promise;
    if (!this.isWaiting(mint)) return null;
    const restored: AwaitedRestore = Promise.withResolvers();
    restored.promise.catch(() => undefined);
    this.#asked.set(mint, restored);
    if (this.#waiting.has(mint)) this.#first.add(mint);
    return await restored.promise;
  }

  /**
   * Follows a token of which no search finds a pool any more, with its stored pools: they are closed. Null: none are
   * stored, or they are no longer valid.
   *
   * @throws AppError chain_unavailable if its accounts can't be read now; the signal's reason
   */
  async followStored(mint: Address): Promise<FollowedToken | null> {
    return (await this.#restoreAll([mint])).get(mint) ?? null;
  }

  /** Begins batches up to the limits. */
  pump(): void {
    const { clock, signal } = this.#deps;
    if (signal.aborted || clock.nowMs() < this.#pausedUntilMs) return;
    while (this.#running.size < MAX_AT_ONCE) {
      const batch = this.#nextBatch();
      if (batch.length === 0) return;
      const done = this.#run(batch).finally(() => this.#running.delete(done));
      this.#running.add(done);
      if (this.#isProbing) return;
    }
  }

  /** Resolves when no batch is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #list(): Promise<void> {
    try {
      for (const mint of await this.#deps.known.list()) this.#waiting.set(mint, { mint, tries: 0 });
    } finally {
      this.#reportIfDone();
    }
  }

  #reportIfDone(): void {
    if (this.#waiting.size + this.#reading.size === 0) this.#deps.known.restored();
  }

  /** After several failures, tokens are read alone: one that succeeds shows that the node works. */
  get #isProbing(): boolean {
    return this.#failures > 1;
  }

  /** Tokens with the same number of failures form a batch; with each failure the batch is half as large. */
  #nextBatch(): readonly RestoreTurn[] {
    const batch: RestoreTurn[] = [];
    let tries = 0;
    const most = (): number => (this.#isProbing ? 1 : Math.max(1, BATCH >> tries));
    for (const queue of [this.#first, this.#waiting.keys()]) {
      for (const mint of queue) {
        const waiting = this.#waiting.get(mint);
        if (waiting === undefined) continue;
        if (batch.length === 0) ({ tries } = waiting);
        else if (waiting.tries !== tries) continue;
        batch.push(waiting);
        this.#waiting.delete(mint);
        this.#first.delete(mint);
        this.#reading.add(mint);
        if (batch.length >= most()) return batch;
      }
    }
    return batch;
  }

  async #run(batch: readonly RestoreTurn[]): Promise<void> {
    const { signal, onFailure } = this.#deps;
    const mints = batch.map(({ mint }) => mint);
    try {
      const tokens = await this.#restoreAll(mints);
      for (const { group } of tokens.values()) doubtUnread(this.#deps.state, group);
      for (const mint of mints) this.#settle(mint, tokens.get(mint) ?? null);
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#blameSuspects({ areAlone: this.#failures === 1 });
    } catch (cause) {
      if (signal.aborted) return;
      for (const waiting of batch) this.#putBack(waiting, cause);
      if (isOfLoad(cause)) this.#pause();
      else this.#suspect(mints);
      onFailure("read the accounts of known tokens", cause);
    }
    this.#reportIfDone();
  }

  #rejectAsked(reason: unknown): void {
    for (const asked of this.#asked.values()) asked.reject(reason);
    this.#asked.clear();
  }

  #settle(mint: Address, token: FollowedToken | null): void {
    this.#reading.delete(mint);
    this.#asked.get(mint)?.resolve(token);
    this.#asked.delete(mint);
  }

  #putBack({ mint, tries }: RestoreTurn, cause: unknown): void {
    this.#reading.delete(mint);
    this.#waiting.set(mint, { mint, tries });
    this.#asked.get(mint)?.reject(cause);
    this.#asked.delete(mint);
  }

  /** A first failure may be caused by the batch; a second one without a success in between may be the node's. */
  #suspect(mints: readonly Address[]): void {
    this.#failures++;
    if (this.#failures === 2) this.#suspects.clear();
    if (this.#failures === 1 || mints.length === 1) {
      for (const mint of mints) this.#suspects.add(mint);
    }
    const isLast = this.#running.size <= 1 && this.#waiting.keys().every(this.#isSuspect);
    if (isLast || this.#failures > 1) this.#pause();
    if (isLast) this.#blameSuspects({ areAlone: true });
  }

  readonly #isSuspect = (mint: Address): boolean => this.#suspects.has(mint);

  /** A suspect is the cause only if no other batch failed, or if no other token is left. */
  #blameSuspects({ areAlone }: { readonly areAlone: boolean }): void {
    this.#failures = 0;
    const blamed = areAlone ? [...this.#suspects] : [];
    this.#suspects.clear();
    for (const mint of blamed) {
      const waiting = this.#waiting.get(mint);
      if (waiting === undefined) continue;
      const tries = waiting.tries + 1;
      if (tries < MAX_TRIES) this.#waiting.set(mint, { mint, tries });
      else {
        this.#waiting.delete(mint);
        this.#settle(mint, null);
      }
    }
  }

  #pause(): void {
    this.#pausedUntilMs = this.#deps.clock.nowMs() + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  async #restoreAll(mints: readonly Address[]): Promise<ReadonlyMap<Address, FollowedToken>> {
    const { known, state, signal, onRestored } = this.#deps;
    const groups = await known.read(mints, { isHop: false });
    const loaded: LoadedAccounts = new Map();
    await this.#read(groups, loaded);
    await this.#restoreHops(groups, loaded);
    signal.throwIfAborted();
    const gone = takeGone(groups, loaded);
    const tokens = new Map<Address, FollowedToken>();
    for (const [mint, stored] of groups) {
      const followed = state.tokens.get(mint) ?? null;
      // The stream may have added it meanwhile, with only its pools that trade.
      const restored =
        followed?.isSearched === true ? null : this.#add(mint, stored, { loaded, gone });
      const token = restored ?? followed;
      if (token === null) continue;
      tokens.set(mint, token);
      if (restored !== null) onRestored(restored);
    }
    return tokens;
  }

  async #read(groups: ReadonlyMap<Address, KnownMint>, loaded: LoadedAccounts): Promise<void> {
    const { source, state, clock, signal } = this.#deps;
    const refs = [...groups.values()].flatMap(({ group }) => group.found.pools);
    const first = new Set([...groups.keys(), ...refs.map(({ address }) => address)]);
    const missing = [...first].filter((address) => !loaded.has(address));
    if (missing.length > 0) {
      // The clock is read too, so that the tokens can be assessed as soon as they are followed.
      addAll(loaded, await source.readAccounts([CLOCK_SYSVAR, ...missing], signal));
      const chainClock = clockOf(loaded);
      if (chainClock !== null) recordClock(state.times, chainClock, clock.nowMs());
    }
    await gatherAccounts(source, refs, loaded, { signal });
  }

  /** Restores the quote mints that these tokens' routes lead through, hop by hop. */
  async #restoreHops(
    tokens: ReadonlyMap<Address, KnownMint>,
    loaded: LoadedAccounts,
  ): Promise<void> {
    const { state, known } = this.#deps;
    let level: ReadonlyMap<Address, KnownMint> = tokens;
    for (let hop = 0; hop <= MAX_CHAIN_HOPS && level.size > 0; hop++) {
      const mints = [...level].flatMap(([mint, { group }]) =>
        hopMintsOf({ mint, except: null }, group.found.pools, loaded),
      );
      const missing = [...new Set(mints)].filter((mint) => !state.hops.has(mint));
      if (missing.length === 0) return;
      const groups = await known.read(missing, { isHop: true });
      await this.#read(groups, loaded);
      for (const [mint, stored] of groups) this.#addHop(mint, stored, loaded);
      level = groups;
    }
  }

  #addHop(mint: Address, stored: KnownMint, loaded: LoadedAccounts): void {
    const { state } = this.#deps;
    const { found, searches, searchDueMs: searchedAtMs } = stored.group;
    if (state.hops.has(mint) || !arePools(found.pools, loaded)) return;
    const isObserved = this.#isObserved(stored);
    const isSearchComplete = found.isSearchComplete && isObserved;
    const group = addGroup(state, { mint, found: { ...found, isSearchComplete }, loaded });
    // Otherwise it is searched again within minutes, as a token is.
    group.searchedAtMs = searchedAtMs;
    group.searches = isObserved ? searches : 0;
    state.unsavedGroups.delete(group);
    addHop(state, group, loaded);
  }

  /** Whether it was followed until a moment ago: then no new pool is missing from its stored search. */
  #isObserved({ followedAtMs }: KnownMint): boolean {
    return this.#deps.clock.nowMs() - followedAtMs < UNOBSERVED_MS;
  }

  /** Null if the stored pools are no longer valid: then the token is loaded like an unknown one. */
  #add(
    mint: Address,
    stored: KnownMint,
    { loaded, gone }: { readonly loaded: LoadedAccounts; readonly gone: ReadonlySet<Address> },
  ): FollowedToken | null {
    const { state, clock } = this.#deps;
    const { group: known, usedAtMs } = stored;
    const mintAccount = loaded.get(mint);
    const left = known.found.pools.filter(({ address }) => !gone.has(address));
    if (mintAccount === undefined || !arePools(left, loaded)) return null;
    const areAllLeft = left.length === known.found.pools.length;
    const nowMs = clock.nowMs();
    const isObserved = this.#isObserved(stored);
    const followed = state.tokens.get(mint);
    const askedAtMs = followed?.askedAtMs ?? Number.NEGATIVE_INFINITY;
    const token = addToken(state, {
      mint,
      mintFacts: decodeMint(mintAccount),
      names: known.names ?? NO_NAMES,
      found: {
        ...known.found,
        isSearchComplete: known.found.isSearchComplete && isObserved,
      },
      loaded,
      // A pool may have been created in place of a closed one.
      isSearched: known.isSearched && areAllLeft,
      nowMs,
    });
    // Of a token that the stream added, some pools may not be stored.
    if (followed === undefined) state.unsavedGroups.delete(token.group);
    token.group.searches = known.searches;
    token.searchDueMs = isObserved ? searchSoonAfter(known.searchDueMs, nowMs) : nowMs;
    noteAsked(state, token, usedAtMs === 0 ? askedAtMs : Math.max(usedAtMs, askedAtMs));
    // Just read: the subscription's confirmation, or the next turn of all accounts, reads them again.
    token.rereadDueMs = nowMs + REREAD_FOLLOWED_MS;
    const readSlot = clockOf(loaded)?.slot;
    for (const account of accountsOf(state, token)) {
      if (account.content === undefined || readSlot === undefined) continue;
      if (!loaded.has(account.address)) continue;
      account.wasAsked = true;
      // An account that does not exist has no slot: it was absent when the clock was read, or later.
      if (account.heldSlot === 0n) account.heldSlot = readSlot;
    }
    return token;
  }
}

/** Whether the read was refused because of the node's load, independently of the accounts. */
function isOfLoad(cause: unknown): boolean {
  if (cause instanceof RpcFailure) return isRateLimit(cause);
  if (!(cause instanceof AppError)) return false;
  return cause.code === "overloaded" || isOfLoad(cause.cause);
}

/**
 * The stored pools whose accounts do not exist any more. They stay pools of their token, as those that are closed while
 * it is followed. What was read of them is removed from `loaded`: a second read confirms that they are closed.
 */
function takeGone(
  groups: ReadonlyMap<Address, KnownMint>,
  loaded: LoadedAccounts,
): ReadonlySet<Address> {
  const gone = new Set<Address>();
  for (const { group } of groups.values()) {
    for (const { address } of group.found.pools)
      if (loaded.has(address) && withData(loaded.get(address) ?? null) === null) gone.add(address);
  }
  for (const address of gone) loaded.delete(address);
  return gone;
}

/** Whether each pool still is an account of its program. */
function arePools(pools: readonly PoolRef[], loaded: LoadedAccounts): boolean {
  return pools.every((pool) => isOwned(pool, loaded));
}
