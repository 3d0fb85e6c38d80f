import type { AccountUpdate, ChainSource, Subscription } from "#src/chain/chain-source.ts";
import { matchesFilter } from "#src/chain/rpc/rpc-answers.ts";
import { Batcher } from "#src/platform/batcher.ts";
import { BoundedSet } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Venue } from "#src/venues/venue.ts";
import { applyUpdate } from "../following/apply-update.ts";
import { addPool } from "../following/followed-pools.ts";
import {
  isFollowed,
  noteUnweighed,
  noteWeighedOut,
  searchForUnconfirmed,
} from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";
import { isActive } from "../following/schedule.ts";
import { isUnconfirmed } from "../following/unconfirmed.ts";
import { MAX_POOLS } from "../pools/choose-pools.ts";
import type { VenueFilter } from "../pools/discover-pools.ts";
import { filtersFor } from "../pools/load-token.ts";

/** Maximum number of subscribed tokens: each costs a subscription per filter of every venue. */
const MAX_TOKENS = 40;
/** Named accounts are read together. */
const GATHER_MS = 50;
const MAX_READ = 99;
const MAX_WAITING = 2_000;
/** Pools of a token that are not followed trade on: each is read once. */
const MAX_SEEN = 50_000;

export type NewPoolFeedDeps = {
  readonly source: ChainSource;
  readonly venues: readonly Venue<unknown>[];
  readonly state: LiveState;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  /** Programs of which the source delivers every account. */
  readonly streamed: readonly Venue<unknown>[];
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** A token that is subscribed, until `close`. */
type TokenPlace = {
  readonly token: FollowedToken;
  readonly subscriptions: readonly Subscription[];
};

type NamedAccount = VenueFilter & { readonly token: FollowedToken; readonly address: Address };

/**
 * Subscribes to the programs for new pools of tokens in use, on both mint sides. There are forty places: watched
 * tokens come first, then requested ones, which keep theirs until they are no longer in use.
 */
export class NewPoolFeed {
  readonly #deps: NewPoolFeedDeps;
  /** Those with filters. Streams of whole programs deliver every new pool to NewTokenFeed. */
  readonly #searched: readonly Venue<unknown>[];
  readonly #places = new Map<Address, TokenPlace>();
  readonly #seen = new BoundedSet<string>(MAX_SEEN);
  readonly #named: Batcher<NamedAccount>;

  constructor(deps: NewPoolFeedDeps) {
    this.#deps = deps;
    const { venues, streamed } = deps;
    const hasFilters = (venue: Venue<unknown>): boolean => filtersFor([venue], WSOL).length > 0;
    this.#searched = venues.filter((venue) => !streamed.includes(venue) && hasFilters(venue));
    this.#named = new Batcher({
      flush: (named) => this.#read(named),
      ...{ maxSize: MAX_READ, maxDelayMs: GATHER_MS, maxActive: 1 },
    });
  }

  /** Subscribes a token in use, if a place is free: to all of its programs, or to none. @throws what a subscription threw */
  async open(token: FollowedToken): Promise<void> {
    if (this.#places.has(token.mint) || this.#places.size >= MAX_TOKENS) return;
    if (!isActive(token, this.#deps.clock.nowMs())) return;
    const filters = filtersFor(this.#searched, token.mint);
    if (filters.length === 0) return;
    const subscriptions: Subscription[] = [];
    this.#places.set(token.mint, { token, subscriptions });
    try {
      for (const each of filters) subscriptions.push(this.#follow(token, each));
    } catch (cause) {
      await this.close(token.mint);
      throw cause;
    }
  }

  #follow(token: FollowedToken, { venue, filter }: VenueFilter): Subscription {
    return this.#deps.source.followProgram(
      filter,
      (update) => this.#consider({ token, venue, filter, address: update.address }, update),
      (address) => this.#note({ token, venue, filter, address }),
    );
  }

  /**
   * Gives the places of tokens that are no longer in use to others, and those of requested tokens to watched ones.
   *
   * @returns when the subscriptions of the tokens that lost their place are closed
   * @throws what a subscription threw
   */
  async assignPlaces(): Promise<void> {
    const changes = this.#closeUnused();
    if (this.#searched.length > 0) {
      const { usedTokens } = this.#deps.state;
      // Loops that allocate nothing for a token that gets no place: twenty thousand may be in use.
      for (const token of usedTokens) {
        if (!token.isWatched || this.#places.has(token.mint)) continue;
        if (this.#places.size >= MAX_TOKENS) {
          const requested = this.#longestUnasked();
          if (requested === null) break;
          changes.push(this.close(requested.mint));
        }
        changes.push(this.open(token));
      }
      // As many attempts as places are free: a source may refuse every subscription.
      let left = MAX_TOKENS - this.#places.size;
      for (const token of usedTokens) {
        if (left <= 0) break;
        if (this.#places.has(token.mint)) continue;
        changes.push(this.open(token));
        left--;
      }
    }
    await Promise.all(changes);
  }

  async close(mint: Address): Promise<void> {
    const subscriptions = this.#places.get(mint)?.subscriptions ?? [];
    this.#places.delete(mint);
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  #closeUnused(): Promise<void>[] {
    const nowMs = this.#deps.clock.nowMs();
    const unused = [...this.#places.values()].filter(({ token }) => !isActive(token, nowMs));
    return unused.map(({ token }) => this.close(token.mint));
  }

  /** Of the requested tokens that have a place, the one whose last request is oldest; null: all are watched. */
  #longestUnasked(): FollowedToken | null {
    let oldest: FollowedToken | null = null;
    for (const { token } of this.#places.values()) {
      if (token.isWatched) continue;
      if (oldest === null || token.askedAtMs < oldest.askedAtMs) oldest = token;
    }
    return oldest;
  }

  async closeAll(): Promise<void> {
    this.#named.clear();
    await Promise.all([...this.#places.keys()].map((mint) => this.close(mint)));
  }

  #note(named: NamedAccount): void {
    const { token, address } = named;
    const key = keyOf(named);
    if (token.group.pools.has(address) || this.#seen.has(key)) return;
    if (noteWeighedOut(token, address, this.#deps.clock.nowMs())) return;
    if (this.#named.waiting.length >= MAX_WAITING) return;
    this.#seen.add(key);
    this.#named.add(named);
  }

  async #read(named: readonly NamedAccount[]): Promise<void> {
    const { source, signal, onFailure } = this.#deps;
    try {
      const addresses = [...new Set(named.map(({ address }) => address))];
      const { slot, accounts } = await source.readAccounts(addresses, signal);
      for (const one of named) {
        const account = accounts.get(one.address);
        // Its next notification reads it again.
        if (account === undefined || account === null) this.#seen.delete(keyOf(one));
        else if (matchesFilter(account, one.filter)) {
          this.#consider(one, { address: one.address, account, slot });
        }
      }
    } catch (cause) {
      for (const one of named) this.#seen.delete(keyOf(one));
      onFailure("read new pools", cause);
    }
  }

  #consider({ token, venue }: NamedAccount, update: AccountUpdate): void {
    const { state, clock } = this.#deps;
    const { address, account } = update;
    if (state.accounts.has(address)) applyUpdate(state, update, clock.nowMs());
    if (account === null || account.owner !== venue.programId) return;
    if (token.group.pools.has(address) || !isFollowed(state, token)) return;
    if (noteWeighedOut(token, address, clock.nowMs())) return;
    // A search reads confirmed state: a pool of a slot that is dropped is never added.
    if (state.unconfirmed !== null && isUnconfirmed(state.unconfirmed, update.slot)) {
      searchForUnconfirmed(token, clock.nowMs());
      return;
    }
    if (token.group.pools.size >= MAX_POOLS) {
      noteUnweighed(token, clock.nowMs());
      return;
    }
    const ref = { venue, address, mint: token.mint, isReserved: false };
    addPool(state, token.group, ref, new Map([[address, account]]));
  }
}

function keyOf({ token, address }: NamedAccount): string {
  return `${token.mint} ${address}`;
}
