import type { AccountUpdate, ChainSource, Subscription } from "#src/chain/chain-source.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Venue } from "#src/venues/venue.ts";
import { applyUpdate } from "./apply-update.ts";
import { MAX_POOLS } from "./choose-pools.ts";
import { addPool } from "./followed-pools.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";

/** Maximum number of subscribed tokens: each costs a subscription per filter of every venue. */
const MAX_TOKENS = 40;
/** A token at the pool limit is searched again after this time instead: the search weighs the pools. */
const SEARCH_SOON_MS = 5_000;

export type NewPoolFeedDeps = {
  readonly source: ChainSource;
  readonly state: LiveState;
  readonly clock: WallClock;
};

/** Subscribes to the programs for new pools of tracked tokens, on both mint sides. */
export class NewPoolFeed {
  readonly #deps: NewPoolFeedDeps;
  readonly #byMint = new Map<Address, readonly Subscription[]>();

  constructor(deps: NewPoolFeedDeps) {
    this.#deps = deps;
  }

  open(token: FollowedToken): void {
    if (this.#byMint.has(token.mint) || this.#byMint.size >= MAX_TOKENS) return;
    const subscriptions = token.group.filters.map(({ venue, filter }) =>
      this.#deps.source.followProgram(filter, (update) => this.#consider(token, venue, update)),
    );
    this.#byMint.set(token.mint, subscriptions);
  }

  async close(mint: Address): Promise<void> {
    const subscriptions = this.#byMint.get(mint) ?? [];
    this.#byMint.delete(mint);
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#byMint.keys()].map((mint) => this.close(mint)));
  }

  #consider(token: FollowedToken, venue: Venue<unknown>, update: AccountUpdate): void {
    const { state, clock } = this.#deps;
    const { address, account } = update;
    if (state.accounts.has(address)) applyUpdate(state, update, clock.nowMs());
    if (account === null || account.owner !== venue.programId) return;
    if (token.group.pools.has(address) || state.tokens.get(token.mint) !== token) return;
    if (token.group.pools.size >= MAX_POOLS) {
      // More pools are known than have been weighed: until the search, it counts as incomplete.
      token.group.isSearchComplete = false;
      token.group.version++;
      token.searchDueMs = Math.min(token.searchDueMs, clock.nowMs() + SEARCH_SOON_MS);
      return;
    }
    const ref = { venue, address, mint: token.mint, isReserved: false };
    addPool(state, token.group, ref, new Map([[address, account]]));
  }
}
