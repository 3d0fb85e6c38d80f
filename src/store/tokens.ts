import type { Generated, Kysely } from "kysely";
import type { Address } from "#src/units/address.ts";
import type { Schema } from "./schema.ts";

export type TokensTables = {
  tokens: {
    id: Generated<bigint>;
    mint: Address;
    name: string | null;
    symbol: string | null;
    first_seen_ms: bigint;
    snapshot: string | null;
    snapshot_at_ms: bigint | null;
  };
};

export type StoredToken = {
  readonly id: bigint;
  readonly firstSeenMs: number;
  readonly name: string | null;
  readonly symbol: string | null;
  /** The last answer, serialised by the caller, and the time of the state it was measured on. */
  readonly snapshot: string | null;
  readonly snapshotAtMs: number | null;
};

export type TokenNames = { readonly name: string | null; readonly symbol: string | null };

export type SeenToken = TokenNames & { readonly mint: Address; readonly nowMs: number };

/**
 * Returns the tokens' numbers and inserts new tokens, in one statement; each mint may occur once.
 * Known names replace older ones.
 */
export async function upsertTokens(
  db: Kysely<Schema>,
  tokens: readonly SeenToken[],
): Promise<ReadonlyMap<Address, bigint>> {
  const rows = await db
    .insertInto("tokens")
    .values(
      tokens.map((token) => ({
        mint: token.mint,
        name: token.name,
        symbol: token.symbol,
        first_seen_ms: BigInt(token.nowMs),
        snapshot: null,
        snapshot_at_ms: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.column("mint").doUpdateSet((eb) => ({
        name: eb.fn.coalesce("excluded.name", "tokens.name"),
        symbol: eb.fn.coalesce("excluded.symbol", "tokens.symbol"),
      })),
    )
    .returning(["id", "mint"])
    .execute();
  return new Map(rows.map(({ id, mint }) => [mint, id]));
}

export async function storedToken(db: Kysely<Schema>, mint: Address): Promise<StoredToken | null> {
  const row = await db.selectFrom("tokens").selectAll().where("mint", "=", mint).executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    firstSeenMs: Number(row.first_seen_ms),
    name: row.name,
    symbol: row.symbol,
    snapshot: row.snapshot,
    snapshotAtMs: row.snapshot_at_ms === null ? null : Number(row.snapshot_at_ms),
  };
}

export type SavedSnapshot = {
  readonly tokenId: bigint;
  readonly snapshot: string;
  readonly atMs: number;
};

/** Stores the last answers of tokens, for a restart without a reachable chain. */
export async function saveSnapshots(
  db: Kysely<Schema>,
  saved: readonly SavedSnapshot[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const { tokenId, snapshot, atMs } of saved) {
      await transaction
        .updateTable("tokens")
        .set({ snapshot, snapshot_at_ms: BigInt(atMs) })
        .where("id", "=", tokenId)
        .execute();
    }
  });
}
