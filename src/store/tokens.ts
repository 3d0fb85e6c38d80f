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
  };
};

export type StoredToken = {
  readonly id: bigint;
  readonly firstSeenMs: number;
  /** The last answer, serialised by the caller. */
  readonly snapshot: string | null;
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
  const row = await db
    .selectFrom("tokens")
    .select(["id", "first_seen_ms", "snapshot"])
    .where("mint", "=", mint)
    .executeTakeFirst();
  if (row === undefined) return null;
  return { id: row.id, firstSeenMs: Number(row.first_seen_ms), snapshot: row.snapshot };
}

export type SavedSnapshot = {
  readonly tokenId: bigint;
  readonly snapshot: string;
};

/** Stores the last answers of tokens, for a restart without a reachable chain. */
export async function saveSnapshots(
  db: Kysely<Schema>,
  saved: readonly SavedSnapshot[],
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    for (const { tokenId, snapshot } of saved) {
      await transaction.updateTable("tokens").set({ snapshot }).where("id", "=", tokenId).execute();
    }
  });
}
