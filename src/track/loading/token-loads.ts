import type { AccountsRead } from "#src/chain/chain-source.ts";
import type { BackgroundWork } from "#src/platform/background-work.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import { applyRead } from "../following/account-reads.ts";
import {
  accountsOf,
  addToken,
  isFollowed,
  type LackingHop,
  lackingHops,
  refsOf,
  replanSearch,
} from "../following/followed-tokens.ts";
import { withData } from "../following/held-account.ts";
import type { FollowedToken, LiveState, PoolGroup } from "../following/live-state.ts";
import { addGroup, mergeFound } from "../following/merge-found.ts";
import { hasAll, type LoadedAccounts } from "../pools/gather-accounts.ts";
import { hopMintsOf } from "../pools/hop-mints.ts";
import { loadChain, MAX_CHAIN_HOPS } from "../pools/load-chain.ts";
import {
  allOf,
  type FoundPools,
  hasNoMarket,
  isMint,
  type LaterPools,
  type LoadDeps,
  type LoadedToken,
  loadHopPools,
  loadToken,
  MAX_HOPS,
} from "../pools/load-token.ts";
import { addHop } from "./hop-groups.ts";
import { MissingMints } from "./missing-mints.ts";

type LoadedFollowed = {
  readonly token: FollowedToken;
  /** Every account behind it was read at one slot: no further read is needed before an answer. */
  readonly isReadTogether: boolean;
};

type HopLoad = LackingHop & {
  /** The token whose routes these are: they do not lead back to it. */
  readonly origin: Address;
};

export type TokenLoadsDeps = LoadDeps & {
  readonly state: LiveState;
  readonly signal: AbortSignal;
  readonly background: BackgroundWork;
  /** Called with each token as soon as it is followed, before anything else can fail. */
  readonly onFollowed: (token: FollowedToken) => void;
  /** The rest of a token's search has ended, and found no pool at all. */
  readonly onMissing: (token: FollowedToken) => void;
};

/** How many loads run, and how many wait for a place. */
export type TokenLoadCounts = { readonly running: number; readonly waiting: number };

/** The asker of loads for watchlists. */
export const WATCHLIST = "watchlist";
const LIMITS = {
  maxActive: 8,
  maxWaiting: 500,
  maxWaitingOfGroup: 60,
  reservedGroup: WATCHLIST,
  overloadedMessage: "Too many tokens are being loaded; try again in a few seconds.",
};

/** Loads tokens into the live state: one load per token at a time, eight tokens at once. */
export class TokenLoads {
  readonly #deps: TokenLoadsDeps;
  readonly #state: LiveState;
  readonly #signal: AbortSignal;
  readonly #queue = new TaskQueue(LIMITS);
  readonly #loads = new SingleFlight<Address, LoadedFollowed | null>();
  readonly #hops = new SingleFlight<Address, void>();
  readonly #missing: MissingMints;

  constructor(deps: TokenLoadsDeps) {
    this.#deps = { ...deps, whenAnswered: (signal) => this.#loads.idle(signal) };
    this.#state = deps.state;
    this.#signal = deps.signal;
    this.#missing = new MissingMints(deps);
  }

  get counts(): TokenLoadCounts {
    return { running: this.#queue.active, waiting: this.#queue.waiting };
  }

  /** The closed pools of a mint that was not found are followed. */
  forgetMissing(mint: Address): void {
    this.#missing.delete(mint);
  }

  get missing(): Pick<MissingMints, "has" | "poolOf" | "isSuspended"> {
    return this.#missing;
  }

  /**
   * Finds the token's pools and follows them; null: the token does not exist. Askers take turns, so
   * that one with many tokens delays another by one load.
   *
   * @throws AppError chain_unavailable; overloaded if too many tokens wait to be loaded
   */
  load(mint: Address, asker: string): Promise<LoadedFollowed | null> {
    return this.#loads.run(mint, () => this.#queue.run(() => this.#load(mint), undefined, asker));
  }

  idle(): Promise<void> {
    return this.#loads.idle();
  }

  close(): Promise<void> {
    return this.#missing.close();
  }

  async #load(mint: Address): Promise<LoadedFollowed | null> {
    const loaded: LoadedAccounts = new Map();
    const token = await loadToken(this.#deps, mint, loaded, this.#signal);
    if (token.kind === "not-found") {
      const { poolOf = null } = token;
      const account = withData(loaded.get(mint) ?? null);
      const kind = account === null ? "absent" : isMint(account) ? "mint" : "other";
      this.#missing.note(mint, { kind, poolOf });
      return null;
    }
    this.#missing.delete(mint);
    await this.#loadHops(mint, firstHops(token));
    const nowMs = this.#deps.clock.nowMs();
    // The stream may have added it meanwhile: what was found is new to it.
    const isNews = this.#state.tokens.get(mint)?.isSearched !== true;
    const followed = addToken(this.#state, { ...token, mint, loaded, isSearched: true, nowMs });
    if (isNews) this.#deps.onFollowed(followed);
    const { together } = token;
    this.#applyTogether(together);
    if (token.rest !== null) {
      this.#deps.background.run("search pools", this.#searchOn(followed, token.rest));
    }
    const addresses = accountsOf(this.#state, followed)
      .values()
      .map(({ address }) => address);
    return {
      token: followed,
      isReadTogether: together !== null && hasAll(together, addresses),
    };
  }

  /**
   * What was just read is not read again before it is subscribed to. Where whole programs are streamed, new accounts
   * are read once more, and count as confirmed only then: what the stream brought after the first read was ignored.
   */
  #applyTogether(together: AccountsRead | null): void {
    if (together === null) return;
    const { accounts, stream, times, rereadSoon } = this.#state;
    const asked = [...together.accounts.keys()];
    const added = asked
      .flatMap((address) => accounts.get(address) ?? [])
      .filter(({ wasAsked }) => !wasAsked);
    applyRead(this.#state, asked, together, this.#deps.clock.nowMs());
    if (stream === null) return;
    const begunSlot = maxBigint(stream.reachedSlot ?? 0n, times.newest?.slot ?? 0n);
    for (const account of added) {
      account.confirmedAtSeconds = 0;
      account.lostUntilSlot = maxBigint(account.lostUntilSlot, begunSlot + 1n);
      rereadSoon.add(account.address);
    }
  }

  /** No other search of the token is due before this one has ended; with a slow provider that can take minutes. */
  async #searchOn(token: FollowedToken, rest: Promise<LaterPools>): Promise<void> {
    token.searchDueMs = Number.POSITIVE_INFINITY;
    try {
      await this.#addLater(token, rest);
    } finally {
      replanSearch(token, Number.POSITIVE_INFINITY, this.#deps.clock.nowMs());
    }
  }

  /** Adds what each further stage of the search found, and the hops. */
  async #addLater(token: FollowedToken, rest: Promise<LaterPools>): Promise<void> {
    const { found, loaded, together, rest: next } = await rest;
    if (!isFollowed(this.#state, token)) return;
    mergeFound(this.#state, token.group, found, loaded);
    this.#applyTogether(together);
    token.confirmedAfterGap = null;
    this.#state.dirtyTokens.add(token);
    if (next !== null) {
      await this.ensureHops(token);
      return await this.#addLater(token, next);
    }
    if (hasNoMarket(found) && token.group.pools.size === 0) {
      this.#missing.note(token.mint, { kind: "mint", poolOf: null });
      this.#deps.onMissing(token);
      return;
    }
    await this.ensureHops(token);
  }

  /** Loads the hops of pools that were found after the token was loaded. */
  async ensureHops(token: FollowedToken): Promise<void> {
    for (let round = 0; round < MAX_CHAIN_HOPS; round++) {
      const lacking = lackingHops(this.#state, token);
      if (lacking.length === 0) return;
      await this.#loadHops(token.mint, lacking);
    }
  }

  /** Searches the pools of a quote mint again; those of a launchpad's coin are derived again. */
  async searchHop(group: PoolGroup): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const found = group.isDerivedOnly
      ? await this.#deriveAgain(group, loaded)
      : await allOf(
          await loadHopPools(this.#deps, group.mint, loaded, {
            signal: this.#signal,
            followed: refsOf(group),
          }),
          loaded,
        );
    if (found === null || this.#state.hops.get(group.mint) !== group) return;
    group.searchedAtMs = this.#deps.clock.nowMs();
    mergeFound(this.#state, group, found, loaded);
  }

  async #deriveAgain({ mint }: PoolGroup, loaded: LoadedAccounts): Promise<FoundPools | null> {
    const start = { mints: [mint], hops: 1, isKnown: () => false };
    const { coins } = await loadChain(this.#deps, start, loaded, this.#signal);
    return coins.get(mint) ?? null;
  }

  async #loadHops(origin: Address, hops: readonly LackingHop[]): Promise<void> {
    await Promise.all(hops.map((hop) => this.#loadHop({ ...hop, origin })));
  }

  async #loadHop(load: HopLoad): Promise<void> {
    const { mint, isLaunchpadQuote } = load;
    const group = this.#state.hops.get(mint);
    if (group !== undefined && (isLaunchpadQuote || !group.isDerivedOnly)) return;
    await this.#hops.run(mint, () =>
      isLaunchpadQuote ? this.#findChain(load) : this.#findHop(load),
    );
  }

  async #findChain({ mint, origin, left }: HopLoad): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const isKnown = (known: Address): boolean => known === origin || this.#state.hops.has(known);
    const start = { mints: [mint], hops: left, isKnown };
    const { coins, ends } = await loadChain(this.#deps, start, loaded, this.#signal);
    for (const [coin, found] of coins) {
      if (!this.#state.hops.has(coin)) this.#addHop(coin, found, loaded);
    }
    // The mint itself may be no coin of the launchpad: its hops are loaded as of any other.
    if (ends.includes(mint)) await this.#findHop({ ...searchedHop(mint, MAX_HOPS), origin });
    const others = ends.filter((end) => end !== mint && !this.#state.hops.has(end));
    await this.#loadHops(
      origin,
      others.map((end) => searchedHop(end, 1)),
    );
  }

  async #findHop({ mint, origin, left }: HopLoad): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const { found, together, rest } = await loadHopPools(this.#deps, mint, loaded, {
      signal: this.#signal,
    });
    const group = this.#addHop(mint, found, loaded);
    this.#applyTogether(together);
    if (rest !== null) this.#deps.background.run("search pools", this.#addLaterHop(group, rest));
    if (left <= 1) return;
    const mints = hopMintsOf({ mint, except: origin }, found.pools, loaded);
    await this.#loadHops(
      origin,
      mints.map((next) => searchedHop(next, left - 1)),
    );
  }

  #addHop(mint: Address, found: FoundPools, loaded: LoadedAccounts): PoolGroup {
    const derived = this.#state.hops.get(mint);
    if (derived !== undefined) {
      mergeFound(this.#state, derived, found, loaded);
      return derived;
    }
    const group = addGroup(this.#state, { mint, found, loaded });
    group.searchedAtMs = this.#deps.clock.nowMs();
    addHop(this.#state, group, loaded);
    return group;
  }

  async #addLaterHop(group: PoolGroup, rest: Promise<LaterPools>): Promise<void> {
    const { found, loaded, together, rest: next } = await rest;
    if (this.#state.hops.get(group.mint) !== group) return;
    mergeFound(this.#state, group, found, loaded);
    this.#applyTogether(together);
    if (next !== null) await this.#addLaterHop(group, next);
  }
}

function searchedHop(mint: Address, left: number): LackingHop {
  return { mint, left, isLaunchpadQuote: false };
}

function firstHops(token: LoadedToken & { readonly kind: "token" }): readonly LackingHop[] {
  return token.hopMints.map((mint) =>
    token.launchpadQuotes.has(mint)
      ? { mint, left: MAX_CHAIN_HOPS, isLaunchpadQuote: true }
      : searchedHop(mint, MAX_HOPS),
  );
}
