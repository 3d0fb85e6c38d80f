import { BoundedMap } from "#src/platform/bounded-map.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import type { BackgroundWork } from "./background-work.ts";
import { addGroup, mergeFound } from "./followed-pools.ts";
import { addToken, hopsWithin, lackingHops } from "./followed-tokens.ts";
import type { LoadedAccounts } from "./gather-accounts.ts";
import { hopMintsOf } from "./hop-mints.ts";
import type { FollowedToken, LiveState, PoolGroup } from "./live-state.ts";
import {
  allOf,
  type LaterPools,
  type LoadDeps,
  loadHopPools,
  loadToken,
  MAX_HOPS,
} from "./load-token.ts";
import type { TokenLoadCounts } from "./tracker-health.ts";

type HopLoad = {
  /** The token whose routes these are: they do not lead back to it. */
  readonly origin: Address;
  /** How many hops may follow the token's own pool, the one to be loaded included. */
  readonly left: number;
};

export type TokenLoadsDeps = LoadDeps & {
  readonly state: LiveState;
  readonly signal: AbortSignal;
  readonly background: BackgroundWork;
  /** The rest of a token's search has ended, and found no pool at all. */
  readonly onMissing: (token: FollowedToken) => void;
};

const LIMITS = {
  maxActive: 8,
  maxWaiting: 500,
  maxWaitingOfGroup: 60,
  overloadedMessage: "Too many tokens are being loaded; try again in a few seconds.",
};
/**
 * How long "not found" is remembered: at first shortly, since the token may be created meanwhile, and
 * twice as long after each further search without a result.
 */
const NOT_FOUND_FOR_MS = { first: 3_000, longest: 3_600_000 } as const;
const MAX_NOT_FOUND = 100_000;
/** A watched token that was not found this often, which takes several hours, is not searched again. */
const MISSES_OF_WATCHED = 12;

/**
 * Loads tokens into the live state: one load per token at a time, eight tokens at once. Remembers
 * mints that were not found, so that repeated requests for them cost no search.
 */
export class TokenLoads {
  readonly #deps: TokenLoadsDeps;
  readonly #state: LiveState;
  readonly #signal: AbortSignal;
  readonly #queue = new TaskQueue(LIMITS);
  readonly #loads = new SingleFlight<Address, FollowedToken | null>();
  readonly #hops = new SingleFlight<Address, void>();
  readonly #missing = new BoundedMap<Address, { untilMs: number; misses: number }>(MAX_NOT_FOUND);

  constructor(deps: TokenLoadsDeps) {
    this.#deps = deps;
    this.#state = deps.state;
    this.#signal = deps.signal;
  }

  get counts(): TokenLoadCounts {
    return { running: this.#queue.active, waiting: this.#queue.waiting };
  }

  /** Whether a recent complete search found nothing. */
  isKnownMissing(mint: Address): boolean {
    const missing = this.#missing.get(mint);
    return missing !== undefined && this.#deps.clock.nowMs() < missing.untilMs;
  }

  /** Whether the watchlist does not search for it now, or any more: a request still does. */
  isSuspended(mint: Address): boolean {
    const misses = this.#missing.get(mint)?.misses ?? 0;
    return misses >= MISSES_OF_WATCHED || this.isKnownMissing(mint);
  }

  /**
   * Finds the token's pools and follows them; null: the token does not exist. Askers take turns, so
   * that one with many tokens delays another by one load.
   *
   * @throws AppError chain_unavailable; overloaded if too many tokens wait to be loaded
   */
  load(mint: Address, asker = ""): Promise<FollowedToken | null> {
    return this.#loads.run(mint, () => this.#queue.run(() => this.#load(mint), undefined, asker));
  }

  idle(): Promise<void> {
    return this.#loads.idle();
  }

  async #load(mint: Address): Promise<FollowedToken | null> {
    const loaded: LoadedAccounts = new Map();
    const token = await loadToken(this.#deps, mint, loaded, this.#signal);
    if (token.kind === "not-found") {
      this.#noteMissing(mint);
      return null;
    }
    this.#missing.delete(mint);
    await this.#loadHops({ origin: mint, mints: token.hopMints, left: MAX_HOPS });
    const nowMs = this.#deps.clock.nowMs();
    const followed = addToken(this.#state, { ...token, mint, loaded, isSearched: true, nowMs });
    if (token.rest !== null) {
      this.#deps.background.run("search pools", this.#addLater(followed, token.rest));
    }
    return followed;
  }

  /** Adds what the slow searches found, and their hops. */
  async #addLater(token: FollowedToken, rest: Promise<LaterPools>): Promise<void> {
    const { found, loaded } = await rest;
    if (this.#state.tokens.get(token.mint) !== token) return;
    mergeFound(this.#state, token.group, found, loaded);
    this.#state.dirtyTokens.add(token);
    if (found.isSearchComplete && token.group.pools.size === 0) {
      this.#noteMissing(token.mint);
      this.#deps.onMissing(token);
      return;
    }
    await this.ensureHops(token);
  }

  #noteMissing(mint: Address): void {
    const misses = (this.#missing.get(mint)?.misses ?? 0) + 1;
    const { first, longest } = NOT_FOUND_FOR_MS;
    const forMs = Math.min(longest, first * 2 ** (misses - 1));
    this.#missing.set(mint, { misses, untilMs: this.#deps.clock.nowMs() + forMs });
  }

  /** Loads the hops of pools that were found after the token was loaded. */
  async ensureHops({ mint: origin, group }: FollowedToken): Promise<void> {
    const state = this.#state;
    const lacking = (of: PoolGroup) => lackingHops(state, of, origin);
    await this.#loadHops({ origin, mints: lacking(group), left: MAX_HOPS });
    for (const { group: hop, left } of hopsWithin(state, group, MAX_HOPS)) {
      if (left > 0) await this.#loadHops({ origin, mints: lacking(hop), left });
    }
  }

  /** Searches the pools of a quote mint again. */
  async searchHop(group: PoolGroup): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const staged = await loadHopPools(this.#deps, group.mint, loaded, this.#signal);
    const found = await allOf(staged, loaded);
    if (this.#state.hops.get(group.mint) !== group) return;
    group.searchedAtMs = this.#deps.clock.nowMs();
    mergeFound(this.#state, group, found, loaded);
  }

  async #loadHops({ mints, ...rest }: HopLoad & { mints: readonly Address[] }): Promise<void> {
    await Promise.all(mints.map((mint) => this.#loadHop(mint, rest)));
  }

  async #loadHop(mint: Address, load: HopLoad): Promise<void> {
    if (this.#state.hops.has(mint)) return;
    await this.#hops.run(mint, () => this.#findHop(mint, load));
  }

  async #findHop(mint: Address, { origin, left }: HopLoad): Promise<void> {
    const loaded: LoadedAccounts = new Map();
    const { found, rest } = await loadHopPools(this.#deps, mint, loaded, this.#signal);
    const group = addGroup(this.#state, { mint, found, loaded });
    group.searchedAtMs = this.#deps.clock.nowMs();
    this.#state.hops.set(mint, group);
    if (rest !== null) this.#deps.background.run("search pools", this.#addLaterHop(group, rest));
    if (left <= 1) return;
    const mints = hopMintsOf({ mint, except: origin }, found.pools, loaded);
    await this.#loadHops({ origin, mints, left: left - 1 });
  }

  async #addLaterHop(group: PoolGroup, rest: Promise<LaterPools>): Promise<void> {
    const { found, loaded } = await rest;
    if (this.#state.hops.get(group.mint) !== group) return;
    mergeFound(this.#state, group, found, loaded);
  }
}
