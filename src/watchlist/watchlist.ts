import type { WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import {
  addWatchlistEntry,
  changeWatchlistEntry,
  type EntryAdded,
  type EntryChange,
  type NewWatchlistEntry,
  removeWatchlistEntry,
  type WatchlistEntry,
  watchlistOfUser,
} from "#src/store/watchlist.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import type { Markets } from "#src/track/markets.ts";
import { quotaSubjectOf } from "#src/users/caller.ts";
import { parseUserTier, tierLimits } from "#src/users/tiers.ts";

/** A token that is not tracked yet may take this long to be found before its entry is shown without. */
const WAIT_FOR_MARKET_MS = 2_000;

export type WatchedExit = {
  readonly entry: WatchlistEntry;
  /** Null where nothing was known in time. */
  readonly snapshot: MarketSnapshot | null;
  /** The exit at the entry's own size, profile retail; null where the token is not tracked. */
  readonly exit: Awaited<ReturnType<Markets["exit"]>>;
};

/** The users' watchlists: what routes are given. */
export type Watchlist = {
  readonly list: (userId: UserId) => Promise<readonly WatchedExit[]>;
  readonly add: (entry: NewWatchlistEntry) => Promise<EntryAdded>;
  /** @returns whether the user has such an entry */
  readonly change: (userId: UserId, id: bigint, change: EntryChange) => Promise<boolean>;
  /** @returns whether the user had such an entry */
  readonly remove: (userId: UserId, id: bigint) => Promise<boolean>;
};

export type WatchlistDeps = {
  readonly store: Store;
  readonly markets: Pick<Markets, "latest" | "snapshot" | "exit">;
  /** Called after each stored change, so that watching follows at once. */
  readonly onChange: (userId: UserId) => void;
  readonly clock: WallClock;
};

export function createWatchlist({ store, markets, onChange, clock }: WatchlistDeps): Watchlist {
  return {
    async list(userId) {
      const entries = await watchlistOfUser(store.db, userId);
      return Promise.all(entries.map((entry) => watchedExit(markets, entry)));
    },
    async add(entry) {
      const added = await addWatchlistEntry(store, entry, { limitOfTier, nowMs: clock.nowMs() });
      if (added.kind === "added") onChange(entry.userId);
      return added;
    },
    async change(userId, id, change) {
      const isKnown = await changeWatchlistEntry(store.db, { userId, id }, change);
      if (isKnown) onChange(userId);
      return isKnown;
    },
    async remove(userId, id) {
      const isKnown = await removeWatchlistEntry(store.db, { userId, id });
      if (isKnown) onChange(userId);
      return isKnown;
    },
  };
}

function limitOfTier(text: string): number {
  const tier = parseUserTier(text);
  return tier === null ? 0 : tierLimits(tier).watchlistTokens;
}

async function watchedExit(
  markets: WatchlistDeps["markets"],
  entry: WatchlistEntry,
): Promise<WatchedExit> {
  const snapshot = markets.latest(entry.mint) ?? (await snapshotInTime(markets, entry));
  const sale = { sizeLamports: entry.sizeLamports, profile: "retail" } as const;
  // A list is shown without what can't be asked now.
  const exit =
    snapshot?.kind === "assessed" ? await markets.exit(entry.mint, sale).catch(() => null) : null;
  return { entry, snapshot, exit };
}

/** The token's first answer, if it comes in time; it is tracked from then on either way. */
async function snapshotInTime(
  markets: WatchlistDeps["markets"],
  { mint, userId }: WatchlistEntry,
): Promise<MarketSnapshot | null> {
  const timeout = Promise.withResolvers<null>();
  const timer = setTimeout(() => timeout.resolve(null), WAIT_FOR_MARKET_MS);
  try {
    // A list is shown without what can't be loaded now.
    const snapshot = markets.snapshot(mint, quotaSubjectOf(userId)).catch(() => null);
    return await Promise.race([snapshot, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
