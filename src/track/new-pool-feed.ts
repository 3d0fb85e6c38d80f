import type { AccountUpdate, ChainSource, Subscription } from "#src/chain/chain-source.ts";
import { matchesFilter } from "#src/chain/rpc-answers.ts";
import { Batcher } from "#src/platform/batcher.ts";
import { BoundedSet } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Venue } from "#src/venues/venue.ts";
import { applyUpdate } from "./apply-update.ts";
import { MAX_POOLS } from "./choose-pools.ts";
import type { VenueFilter } from "./discover-pools.ts";
import { addPool } from "./followed-pools.ts";
import { noteUnweighed, noteWeighedOut, searchForUnconfirmed } from "./followed-tokens.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import { filtersFor } from "./load-token.ts";
import { isUnconfirmed } from "./unconfirmed.ts";

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

type NamedAccount = VenueFilter & { readonly token: FollowedToken; readonly address: Address };

/** Subscribes to the programs for new pools of tracked tokens, on both mint sides. */
export class NewPoolFeed {
  readonly #deps: NewPoolFeedDeps;
  readonly #byMint = new Map<Address, readonly Subscription[]>();
  readonly #seen = new BoundedSet<string>(MAX_SEEN);
  readonly #named: Batcher<NamedAccount>;

  constructor(deps: NewPoolFeedDeps) {
    this.#deps = deps;
    this.#named = new Batcher({
      flush: (named) => this.#read(named),
      ...{ maxSize: MAX_READ, maxDelayMs: GATHER_MS, maxActive: 1 },
    });
  }

  open(token: FollowedToken): void {
    if (this.#byMint.has(token.mint) || this.#byMint.size >= MAX_TOKENS) return;
    const { venues, streamed } = this.#deps;
    // Streams of whole programs deliver every new pool to NewTokenFeed.
    const searched = venues.filter((venue) => !streamed.includes(venue));
    const filters = filtersFor(searched, token.mint);
    if (filters.length === 0) return;
    const subscriptions = filters.map(({ venue, filter }) =>
      this.#deps.source.followProgram(
        filter,
        (update) => this.#consider({ token, venue, filter, address: update.address }, update),
        (address) => this.#note({ token, venue, filter, address }),
      ),
    );
    this.#byMint.set(token.mint, subscriptions);
  }

  async close(mint: Address): Promise<void> {
    const subscriptions = this.#byMint.get(mint) ?? [];
    this.#byMint.delete(mint);
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  async closeAll(): Promise<void> {
    this.#named.clear();
    await Promise.all([...this.#byMint.keys()].map((mint) => this.close(mint)));
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
    if (token.group.pools.has(address) || state.tokens.get(token.mint) !== token) return;
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
