import { MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import type { Database } from "#src/store/connection/database.ts";
import {
  deleteKnownPoolsBefore,
  type KnownPools,
  lastFollowedAtMs,
  mintsFollowedSince,
  noteFollowed,
  readKnownPools,
  writeKnownPools,
} from "#src/store/known-pools.ts";
import { watchedMints } from "#src/store/watchlist.ts";
import type { Address } from "#src/units/address.ts";
import type { Venue } from "#src/venues/venue.ts";
import { isFollowed } from "../following/followed-tokens.ts";
import type { LiveState, PoolGroup } from "../following/live-state.ts";
import { STOPPED_USE_MS } from "../following/schedule.ts";
import { type KnownGroup, knownPoolsText, parseKnownPools } from "./known-pools.ts";

/** How often the list of followed tokens is written, with the time of their last use. */
const NOTE_EVERY_MS = 5 * 60_000;
/** Tokens written up to this long before the newest entry were followed when the earlier process ended. */
const SAME_END_MS = 2 * NOTE_EVERY_MS;
const USE_STEP_MS = 60_000;
const MAX_TOKENS = 100_000;
const FORGOTTEN_AFTER_MS = 30 * MS_PER_DAY;

export type KnownTokensDeps = {
  readonly database: Database;
  readonly state: LiveState;
  readonly venues: readonly Venue<unknown>[];
  readonly clock: WallClock;
  /** A stream delivers every token: those without a request are followed too. */
  readonly isEverything: boolean;
};

/** The stored pools of a mint, and when an earlier process last followed it. */
export type KnownMint = {
  readonly group: KnownGroup;
  readonly followedAtMs: number;
  readonly usedAtMs: number;
};

/** Stores the followed tokens and the addresses of their pools, for the next process. */
export class KnownTokens {
  readonly #deps: KnownTokensDeps;
  /** Tokens on watchlists when the list was read: they stay, however long ago they were requested. */
  #watched: ReadonlySet<Address> = new Set();
  #notedAtMs: number;
  /** When the earlier process last followed a token; null: no token is left to restore. */
  #earlierEndMs: number | null = null;

  constructor(deps: KnownTokensDeps) {
    this.#deps = deps;
    this.#notedAtMs = deps.clock.nowMs();
  }

  /**
   * The tokens that the earlier process followed: those on watchlists first, then the others, the last used
   * first. Until `restored`, no later time of following is written, so that the next process lists them too.
   */
  async list(): Promise<readonly Address[]> {
    const { database, clock, isEverything } = this.#deps;
    const { db } = database;
    const lastMs = await lastFollowedAtMs(db);
    if (lastMs === null) return [];
    this.#earlierEndMs = lastMs;
    const [watched, followed] = await Promise.all([
      watchedMints(db),
      mintsFollowedSince(db, { sinceMs: lastMs - SAME_END_MS, limit: MAX_TOKENS }),
    ]);
    this.#watched = new Set(watched);
    const usedSinceMs = isEverything ? 0 : clock.nowMs() - STOPPED_USE_MS;
    const used = followed.filter(({ usedAtMs }) => usedAtMs >= usedSinceMs);
    return [...new Set([...watched, ...used.map(({ mint }) => mint)])];
  }

  /** The stored pools of these mints, in the order of the mints; mints without stored pools are left out. */
  async read(
    mints: readonly Address[],
    options: { readonly isHop: boolean },
  ): Promise<ReadonlyMap<Address, KnownMint>> {
    const { database, venues, clock } = this.#deps;
    const rows = await readKnownPools(database.db, mints, options);
    const byMint = new Map(rows.map((row) => [row.mint, row]));
    return new Map(
      mints.flatMap((mint) => {
        const row = byMint.get(mint);
        const group = row === undefined ? null : parseKnownPools(row.pools, mint, venues);
        if (row === undefined || group === null) return [];
        const usedAtMs = this.#watched.has(mint) ? clock.nowMs() : row.usedAtMs;
        return [[mint, { group, followedAtMs: row.followedAtMs, usedAtMs }] as const];
      }),
    );
  }

  /** Writes changed groups; every five minutes, and with `all`, also the list of followed tokens. */
  async save(options: { readonly all: boolean } = { all: false }): Promise<void> {
    const { state, database, clock } = this.#deps;
    const groups = [...state.unsavedGroups];
    state.unsavedGroups.clear();
    try {
      await writeKnownPools(
        database.db,
        groups.flatMap((group) => this.#rowOf(group) ?? []),
      );
    } catch (cause) {
      for (const group of groups) state.unsavedGroups.add(group);
      throw cause;
    }
    const nowMs = clock.nowMs();
    if (!options.all && nowMs - this.#notedAtMs < NOTE_EVERY_MS) return;
    this.#notedAtMs = nowMs;
    await this.#noteFollowed(nowMs);
    if (this.#earlierEndMs !== null) return;
    await deleteKnownPoolsBefore(database.db, nowMs - FORGOTTEN_AFTER_MS);
  }

  /** Called when no listed token waits any more: the next save writes the list of followed tokens. */
  restored(): void {
    this.#earlierEndMs = null;
    this.#notedAtMs = Number.NEGATIVE_INFINITY;
  }

  #followedAtMs(nowMs: number): number {
    return Math.min(nowMs, this.#earlierEndMs ?? nowMs);
  }

  async #noteFollowed(nowMs: number): Promise<void> {
    const { state, database } = this.#deps;
    const byUse = Map.groupBy(state.tokens.values(), ({ askedAtMs }) => minuteOf(askedAtMs));
    for (const [usedAtMs, tokens] of byUse) {
      const mints = tokens.map(({ mint }) => mint);
      const followedAtMs = this.#followedAtMs(nowMs);
      await noteFollowed(database.db, mints, { isHop: false, followedAtMs, usedAtMs });
    }
    const hops = [...state.hops.keys()];
    await noteFollowed(database.db, hops, { isHop: true, followedAtMs: nowMs, usedAtMs: 0 });
  }

  /** Null if the group is no longer followed, or has no pools. */
  #rowOf(group: PoolGroup): KnownPools | null {
    const { state, clock } = this.#deps;
    const { mint, token } = group;
    if (group.pools.size === 0) return null;
    const nowMs = clock.nowMs();
    if (token !== null) {
      if (!isFollowed(state, token)) return null;
      const { searchDueMs, isSearched, names } = token;
      const pools = knownPoolsText(group, { searchDueMs, isSearched, names });
      const [followedAtMs, usedAtMs] = [this.#followedAtMs(nowMs), minuteOf(token.askedAtMs)];
      return { mint, isHop: false, pools, followedAtMs, usedAtMs };
    }
    if (state.hops.get(mint) !== group) return null;
    const of = { searchDueMs: group.searchedAtMs, isSearched: true, names: null };
    return {
      mint,
      isHop: true,
      pools: knownPoolsText(group, of),
      followedAtMs: nowMs,
      usedAtMs: 0,
    };
  }
}

/** Rounded to a minute, so that one statement can write many tokens. */
function minuteOf(askedAtMs: number): number {
  return Number.isFinite(askedAtMs) ? Math.floor(askedAtMs / USE_STEP_MS) * USE_STEP_MS : 0;
}
