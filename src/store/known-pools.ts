import type { Kysely } from "kysely";
import type { Address } from "#src/units/address.ts";
import { inChunks } from "./chunks.ts";
import type { Schema } from "./schema.ts";

/** The stored pools of a mint that is followed as a token, or as a hop of other tokens' routes. */
export type KnownPoolsTables = {
  known_pools: {
    mint: Address;
    /** 0 or 1. */
    is_hop: bigint;
    /** Serialised by the caller. */
    pools: string;
    /** When it was last followed, to some minutes. */
    followed_at_ms: bigint;
    /** When it was last requested, to a minute; 0: never. */
    used_at_ms: bigint;
  };
};

export type KnownPools = {
  readonly mint: Address;
  readonly isHop: boolean;
  readonly pools: string;
  readonly followedAtMs: number;
  readonly usedAtMs: number;
};

/** A mint that was followed, with its use. */
export type FollowedMint = Pick<KnownPools, "mint" | "usedAtMs">;

/** Stores the pools of mints; newer ones replace older ones. */
export async function writeKnownPools(
  db: Kysely<Schema>,
  known: readonly KnownPools[],
): Promise<void> {
  for (const rows of inChunks(known)) {
    await db
      .insertInto("known_pools")
      .values(
        rows.map(({ mint, isHop, pools, followedAtMs, usedAtMs }) => ({
          mint,
          is_hop: isHop ? 1n : 0n,
          pools,
          followed_at_ms: BigInt(followedAtMs),
          used_at_ms: BigInt(usedAtMs),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["mint", "is_hop"]).doUpdateSet((eb) => ({
          pools: eb.ref("excluded.pools"),
          followed_at_ms: eb.ref("excluded.followed_at_ms"),
          used_at_ms: eb.ref("excluded.used_at_ms"),
        })),
      )
      .execute();
  }
}

/** Stores that these mints are followed now, all with the same last use. */
export async function noteFollowed(
  db: Kysely<Schema>,
  mints: readonly Address[],
  at: {
    readonly isHop: boolean;
    readonly followedAtMs: number;
    readonly usedAtMs: number;
  },
): Promise<void> {
  for (const chunk of inChunks(mints)) {
    await db
      .updateTable("known_pools")
      .set({ followed_at_ms: BigInt(at.followedAtMs), used_at_ms: BigInt(at.usedAtMs) })
      .where("mint", "in", chunk)
      .where("is_hop", "=", at.isHop ? 1n : 0n)
      .execute();
  }
}

/** The stored pools of these mints; mints without any are left out. */
export async function readKnownPools(
  db: Kysely<Schema>,
  mints: readonly Address[],
  { isHop }: { readonly isHop: boolean },
): Promise<readonly KnownPools[]> {
  const found: KnownPools[] = [];
  for (const chunk of inChunks(mints)) {
    const rows = await db
      .selectFrom("known_pools")
      .selectAll()
      .where("mint", "in", chunk)
      .where("is_hop", "=", isHop ? 1n : 0n)
      .execute();
    for (const row of rows) {
      found.push({
        mint: row.mint,
        isHop,
        pools: row.pools,
        followedAtMs: Number(row.followed_at_ms),
        usedAtMs: Number(row.used_at_ms),
      });
    }
  }
  return found;
}

/** When any token was last followed; null: none is stored. */
export async function lastFollowedAtMs(db: Kysely<Schema>): Promise<number | null> {
  const { last } = await db
    .selectFrom("known_pools")
    .select((eb) => eb.fn.max("followed_at_ms").as("last"))
    .where("is_hop", "=", 0n)
    .executeTakeFirstOrThrow();
  return last === null ? null : Number(last);
}

/** The tokens that were followed after the given time, the last used first. */
export async function mintsFollowedSince(
  db: Kysely<Schema>,
  { sinceMs, limit }: { readonly sinceMs: number; readonly limit: number },
): Promise<readonly FollowedMint[]> {
  const rows = await db
    .selectFrom("known_pools")
    .select(["mint", "used_at_ms"])
    .where("is_hop", "=", 0n)
    .where("followed_at_ms", ">=", BigInt(sinceMs))
    .orderBy("used_at_ms", "desc")
    .orderBy("mint")
    .limit(limit)
    .execute();
  return rows.map(({ mint, used_at_ms }) => ({ mint, usedAtMs: Number(used_at_ms) }));
}

/** Deletes the pools of mints that were not followed after the given time. */
export async function deleteKnownPoolsBefore(db: Kysely<Schema>, beforeMs: number): Promise<void> {
  await db.deleteFrom("known_pools").where("followed_at_ms", "<", BigInt(beforeMs)).execute();
}
