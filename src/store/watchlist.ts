import { type Generated, type Kysely, type Selectable, sql } from "kysely";
import type { Address } from "#src/units/address.ts";
import { inChunks } from "./chunks.ts";
import type { Schema, Store } from "./schema.ts";
import type { UserId } from "./user-id.ts";

export type WatchlistTables = {
  watchlist_entries: {
    id: Generated<bigint>;
    user_id: UserId;
    mint: Address;
    size_lamports: bigint;
    alerts_enabled: bigint;
    created_at_ms: bigint;
    /**
     * Whether the slippage at this size was last seen above where its alert turns on and not yet
     * below where it turns off: 1 or 0; null: not known since the entry last changed.
     */
    slippage_is_high: bigint | null;
    /**
     * 1: the token is blocked, and that was reported or was so already when the entry was first seen; 0: it is not
     * blocked, or was not reported to be; null: not known since alerts were last switched.
     */
    block_is_reported: bigint | null;
  };
};

export type WatchlistEntry = {
  readonly id: bigint;
  readonly userId: UserId;
  readonly mint: Address;
  readonly sizeLamports: bigint;
  readonly areAlertsEnabled: boolean;
  readonly createdAtMs: number;
};

export type NewWatchlistEntry = Pick<WatchlistEntry, "userId" | "mint" | "sizeLamports">;

export type EntryAdded =
  | { readonly kind: "added"; readonly id: bigint }
  /** The user watches this token already; takes precedence over a full list. */
  | { readonly kind: "duplicate" }
  | { readonly kind: "limit-reached"; readonly limit: number }
  /** The user was deleted meanwhile. */
  | { readonly kind: "no-user" };

/**
 * Adds an entry where the list has room for it by the tier that the user has at this moment. The
 * count and the insertion are one statement, and additions of one user wait for each other: however
 * many are tried at once, exactly as many as there is room for succeed.
 */
export async function addWatchlistEntry(
  { db, dialect }: Store,
  entry: NewWatchlistEntry,
  {
    limitOfTier,
    nowMs,
  }: { readonly limitOfTier: (tier: string) => number; readonly nowMs: number },
): Promise<EntryAdded> {
  return db.transaction().execute(async (transaction) => {
    let owner = transaction.selectFrom("users").select("tier").where("id", "=", entry.userId);
    if (dialect === "postgres") owner = owner.forNoKeyUpdate();
    const user = await owner.executeTakeFirst();
    if (user === undefined) return { kind: "no-user" };
    const limit = limitOfTier(user.tier);
    const id = await insertBelow(transaction, entry, { limit, nowMs });
    if (id !== null) return { kind: "added", id };
    const known = await transaction
      .selectFrom("watchlist_entries")
      .select("id")
      .where("user_id", "=", entry.userId)
      .where("mint", "=", entry.mint)
      .executeTakeFirst();
    return known === undefined ? { kind: "limit-reached", limit } : { kind: "duplicate" };
  });
}

/** @returns the new entry's id; null where the list is full, or holds the token already */
async function insertBelow(
  transaction: Kysely<Schema>,
  { userId, mint, sizeLamports }: NewWatchlistEntry,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<bigint | null> {
  const row = await transaction
    .insertInto("watchlist_entries")
    .columns(["user_id", "mint", "size_lamports", "alerts_enabled", "created_at_ms"])
    .expression((eb) =>
      eb
        .selectFrom("users")
        .select([
          "users.id",
          eb.cast<Address>(eb.val(mint), "text").as("mint"),
          eb.cast<bigint>(eb.val(sizeLamports), "bigint").as("size_lamports"),
          eb.cast<bigint>(eb.val(1n), "bigint").as("alerts_enabled"),
          eb.cast<bigint>(eb.val(BigInt(nowMs)), "bigint").as("created_at_ms"),
        ])
        .where("users.id", "=", userId)
        .where(
          (eb) =>
            eb
              .selectFrom("watchlist_entries")
              .select((count) => count.fn.countAll<bigint>().as("entries"))
              .where("user_id", "=", userId),
          "<",
          BigInt(limit),
        ),
    )
    .onConflict((conflict) => conflict.columns(["user_id", "mint"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return row === undefined ? null : row.id;
}

export type EntryChange = {
  readonly sizeLamports: bigint | null;
  readonly areAlertsEnabled: boolean | null;
};

/**
 * Changes what is not null. What was known of the slippage belonged to the entry as it was; that a block was reported
 * is forgotten where alerts are switched. A change to what the entry was already forgets nothing.
 *
 * @returns whether the user has such an entry
 */
export async function changeWatchlistEntry(
  db: Kysely<Schema>,
  { userId, id }: { readonly userId: UserId; readonly id: bigint },
  { sizeLamports, areAlertsEnabled }: EntryChange,
): Promise<boolean> {
  const size = sizeLamports ?? sql.ref<bigint>("size_lamports");
  const enabled =
    areAlertsEnabled === null ? sql.ref<bigint>("alerts_enabled") : areAlertsEnabled ? 1n : 0n;
  const changed = await db
    .updateTable("watchlist_entries")
    .set((eb) => {
      const isSameSwitch = eb("alerts_enabled", "=", enabled);
      const isSame = eb.and([isSameSwitch, eb("size_lamports", "=", size)]);
      return {
        size_lamports: size,
        alerts_enabled: enabled,
        slippage_is_high: eb.case().when(isSame).then(eb.ref("slippage_is_high")).end(),
        block_is_reported: eb.case().when(isSameSwitch).then(eb.ref("block_is_reported")).end(),
      };
    })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/** @returns whether the user had such an entry */
export async function removeWatchlistEntry(
  db: Kysely<Schema>,
  { userId, id }: { readonly userId: UserId; readonly id: bigint },
): Promise<boolean> {
  const removed = await db
    .deleteFrom("watchlist_entries")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}

/** The user's entries, oldest first. */
export async function watchlistOfUser(
  db: Kysely<Schema>,
  userId: UserId,
): Promise<readonly WatchlistEntry[]> {
  const rows = await db
    .selectFrom("watchlist_entries")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
  return rows.map(toEntry);
}

function toEntry(row: Selectable<WatchlistTables["watchlist_entries"]>): WatchlistEntry {
  return {
    id: row.id,
    userId: row.user_id,
    mint: row.mint,
    sizeLamports: row.size_lamports,
    areAlertsEnabled: row.alerts_enabled !== 0n,
    createdAtMs: Number(row.created_at_ms),
  };
}

/** An entry as the alert rules need it. */
export type WatchedEntry = Omit<WatchlistEntry, "areAlertsEnabled"> & {
  /** Null: its slippage was not seen since it last changed. */
  readonly isSlippageHigh: boolean | null;
  /** Whether the present block of the token needs no alert; null: the token was not seen since alerts were switched. */
  readonly isBlockReported: boolean | null;
};

export type EntriesPage = {
  /** Null: of all users. */
  readonly userId: UserId | null;
  /** The last entry of the page before; null: the first page. */
  readonly afterId: bigint | null;
  readonly limit: number;
};

/** Entries whose alerts are on, of users who are not disabled, by id. */
export async function watchedEntries(
  db: Kysely<Schema>,
  { userId, afterId, limit }: EntriesPage,
): Promise<readonly WatchedEntry[]> {
  let query = db
    .selectFrom("watchlist_entries")
    .innerJoin("users", "users.id", "watchlist_entries.user_id")
    .select([
      "watchlist_entries.id",
      "user_id",
      "mint",
      "size_lamports",
      "created_at_ms",
      "slippage_is_high",
      "block_is_reported",
    ])
    .where("alerts_enabled", "=", 1n)
    .where("users.disabled_at_ms", "is", null)
    .orderBy("watchlist_entries.id")
    .limit(limit);
  if (userId !== null) query = query.where("user_id", "=", userId);
  if (afterId !== null) query = query.where("watchlist_entries.id", ">", afterId);
  const rows = await query.execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    mint: row.mint,
    sizeLamports: row.size_lamports,
    createdAtMs: Number(row.created_at_ms),
    isSlippageHigh: booleanOf(row.slippage_is_high),
    isBlockReported: booleanOf(row.block_is_reported),
  }));
}

function booleanOf(stored: bigint | null): boolean | null {
  return stored === null ? null : stored !== 0n;
}

function storedBoolean(value: boolean | null): bigint | null {
  return value === null ? null : value ? 1n : 0n;
}

/** Every token that is on a list, its alerts on or off. */
export async function watchedMints(db: Kysely<Schema>): Promise<readonly Address[]> {
  const rows = await db.selectFrom("watchlist_entries").select("mint").distinct().execute();
  return rows.map(({ mint }) => mint);
}

/** What was last seen of an entry, at the size that it had then; null: not known. */
export type SeenSide = {
  readonly entryId: bigint;
  readonly sizeLamports: bigint;
  /** On which side of its threshold the slippage was. */
  readonly isHigh: boolean | null;
  readonly isBlockReported: boolean | null;
};

/** Stores what was seen, once for each entry. The slippage of an entry whose size has changed since is not known. */
export async function setSeenSides(db: Kysely<Schema>, sides: readonly SeenSide[]): Promise<void> {
  for (const some of inChunks(sides)) {
    const seen = some.map(({ entryId, sizeLamports, isHigh, isBlockReported }) =>
      [entryId, sizeLamports, storedBoolean(isHigh), storedBoolean(isBlockReported)].map(
        (value) => sql`cast(${value} as bigint)`,
      ),
    );
    // Raw SQL: both databases name the columns of a values list column1 to column4.
    await sql`
      update watchlist_entries
      set block_is_reported = seen.column4,
        slippage_is_high = case when size_lamports = seen.column2
          then seen.column3 else slippage_is_high end
      from (values ${sql.join(seen.map((values) => sql`(${sql.join(values)})`))}) as seen
      where watchlist_entries.id = seen.column1
    `.execute(db);
  }
}

/**
 * Moves the slippage of these entries from the low to the high side, where alerts are enabled.
 *
 * @returns the entries that were on the low side
 */
export function raiseSlippageSides(
  db: Kysely<Schema>,
  entryIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  return raise(db, "slippage_is_high", entryIds);
}

/**
 * Notes that the block of these entries' tokens is reported, where alerts are enabled.
 *
 * @returns the entries for which it was not reported before
 */
export function noteBlocksReported(
  db: Kysely<Schema>,
  entryIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  return raise(db, "block_is_reported", entryIds);
}

async function raise(
  db: Kysely<Schema>,
  column: "slippage_is_high" | "block_is_reported",
  entryIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const raised = new Set<bigint>();
  for (const ids of inChunks(entryIds)) {
    const rows = await db
      .updateTable("watchlist_entries")
      .set({ [column]: 1n })
      .where("id", "in", ids)
      .where(column, "=", 0n)
      .where("alerts_enabled", "=", 1n)
      .returning("id")
      .execute();
    for (const { id } of rows) raised.add(id);
  }
  return raised;
}

/** Those of the entries that still exist and have alerts enabled. */
export async function entriesWithAlerts(
  db: Kysely<Schema>,
  entryIds: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const enabled = new Set<bigint>();
  for (const ids of inChunks(entryIds)) {
    const rows = await db
      .selectFrom("watchlist_entries")
      .select("id")
      .where("id", "in", ids)
      .where("alerts_enabled", "=", 1n)
      .execute();
    for (const { id } of rows) enabled.add(id);
  }
  return enabled;
}
