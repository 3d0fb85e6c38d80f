import { type Kysely, sql } from "kysely";
import { chunksOf } from "#src/platform/chunks.ts";
import { addAccessChange } from "./access-changes.ts";
import type { Schema, Store } from "./schema.ts";
import type { UserId } from "./user-id.ts";

export type ApiKeysTables = {
  api_keys: {
    id: string;
    user_id: UserId;
    /** SHA-256 of the whole key, hexadecimal. */
    hash: string;
    /** The start and end of the key, so that people can distinguish keys. */
    hint: string;
    created_at_ms: bigint;
    /** Set by a rotation: the old key is valid until then. */
    expires_at_ms: bigint | null;
    revoked_at_ms: bigint | null;
    last_used_at_ms: bigint | null;
  };
  api_key_usage: { key_id: string; day: bigint; used: bigint };
};

export type ApiKeyRecord = {
  readonly id: string;
  readonly hint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly usedToday: number;
};

export type NewApiKey = {
  readonly id: string;
  readonly userId: UserId;
  readonly hash: string;
  readonly hint: string;
};

/** The user of a key; a replaced key is valid until `expiresAtMs`. */
export type ApiKeyOwner = {
  readonly keyId: string;
  readonly userId: UserId;
  readonly tier: string;
  readonly expiresAtMs: number | null;
};

/** @returns false, with nothing changed, if the user has a current key */
export async function addFirstApiKey(
  db: Kysely<Schema>,
  key: NewApiKey,
  nowMs: number,
): Promise<boolean> {
  const row = await db
    .insertInto("api_keys")
    .values(newRow(key, nowMs))
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Replaces the user's current key, which stays valid until `oldUntilMs`. Replacements of one user wait for
 * each other: each replaces the key of the one before.
 *
 * @returns false, with nothing changed, if the user has no current key
 */
export async function replaceApiKey(
  { db, dialect }: Store,
  key: NewApiKey,
  { nowMs, oldUntilMs }: { readonly nowMs: number; readonly oldUntilMs: number },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const owner = transaction.selectFrom("users").select("id").where("id", "=", key.userId);
    if (dialect === "postgres") await owner.forNoKeyUpdate().execute();
    const replaced = await transaction
      .updateTable("api_keys")
      .set({ expires_at_ms: BigInt(oldUntilMs) })
      .where("user_id", "=", key.userId)
      .where("expires_at_ms", "is", null)
      .where("revoked_at_ms", "is", null)
      .executeTakeFirst();
    if (replaced.numUpdatedRows === 0n) return false;
    await transaction.insertInto("api_keys").values(newRow(key, nowMs)).execute();
    await addAccessChange(transaction, key.userId, nowMs);
    return true;
  });
}

function newRow({ id, userId, hash, hint }: NewApiKey, nowMs: number) {
  return {
    id,
    user_id: userId,
    hash,
    hint,
    created_at_ms: BigInt(nowMs),
    expires_at_ms: null,
    revoked_at_ms: null,
    last_used_at_ms: null,
  };
}

/** @returns whether the user had that key, valid or not */
export async function revokeApiKey(
  db: Kysely<Schema>,
  { userId, keyId }: { readonly userId: UserId; readonly keyId: string },
  nowMs: number,
): Promise<boolean> {
  // Postgres refuses the text.
  if (keyId.includes("\0")) return false;
  return db.transaction().execute(async (transaction) => {
    const row = await transaction
      .updateTable("api_keys")
      .set((eb) => ({ revoked_at_ms: eb.fn.coalesce("revoked_at_ms", eb.val(BigInt(nowMs))) }))
      .where("id", "=", keyId)
      .where("user_id", "=", userId)
      .returning("id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await addAccessChange(transaction, userId, nowMs);
    return true;
  });
}

/** The user of a key, valid or not; null if the key is unknown. */
export async function userOfApiKey(db: Kysely<Schema>, keyId: string): Promise<UserId | null> {
  const row = await db
    .selectFrom("api_keys")
    .select("user_id")
    .where("id", "=", keyId)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** Users of keys by hash; none for a key that is unknown or revoked, or whose user is disabled. */
export async function findApiKeyOwners(
  db: Kysely<Schema>,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, ApiKeyOwner>> {
  const rows = await db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.user_id")
    .select(["api_keys.hash", "api_keys.id", "api_keys.user_id", "api_keys.expires_at_ms"])
    .select("users.tier")
    .where("api_keys.hash", "in", hashes)
    .where("api_keys.revoked_at_ms", "is", null)
    .where("users.disabled_at_ms", "is", null)
    .execute();
  return new Map(
    rows.map(({ hash, id, user_id: userId, tier, expires_at_ms: expires }) => {
      const expiresAtMs = expires === null ? null : Number(expires);
      return [hash, { keyId: id, userId, tier, expiresAtMs }];
    }),
  );
}

/** Every key a user ever had, newest first. */
export async function apiKeysOfUser(
  db: Kysely<Schema>,
  userId: UserId,
  day: number,
): Promise<readonly ApiKeyRecord[]> {
  const rows = await db
    .selectFrom("api_keys")
    .leftJoin("api_key_usage", (join) =>
      join
        .onRef("api_key_usage.key_id", "=", "api_keys.id")
        .on("api_key_usage.day", "=", BigInt(day)),
    )
    .selectAll("api_keys")
    .select("api_key_usage.used")
    .where("api_keys.user_id", "=", userId)
    .orderBy("api_keys.created_at_ms", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    hint: row.hint,
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: row.expires_at_ms === null ? null : Number(row.expires_at_ms),
    revokedAtMs: row.revoked_at_ms === null ? null : Number(row.revoked_at_ms),
    lastUsedAtMs: row.last_used_at_ms === null ? null : Number(row.last_used_at_ms),
    usedToday: row.used === null ? 0 : Number(row.used),
  }));
}

export type ApiKeyUse = {
  readonly keyId: string;
  readonly day: number;
  readonly uses: number;
  readonly lastUsedAtMs: number;
};

/** Rows per statement: databases accept some tens of thousands of parameters. */
const USES_PER_STATEMENT = 1_000;

/**
 * Adds uses, each of a different key and day, in one transaction. Deleted keys are skipped. All
 * processes lock keys in the same order, which prevents deadlocks.
 */
export async function addApiKeyUses(
  { db, dialect }: Store,
  uses: readonly ApiKeyUse[],
): Promise<void> {
  const ordered = uses.toSorted((a, b) =>
    a.keyId === b.keyId ? a.day - b.day : a.keyId < b.keyId ? -1 : 1,
  );
  await db.transaction().execute(async (transaction) => {
    for (const some of chunksOf(ordered, USES_PER_STATEMENT))
      await addSomeUses({ db: transaction, dialect }, some);
  });
}

async function addSomeUses({ db, dialect }: Store, uses: readonly ApiKeyUse[]): Promise<void> {
  let keys = db
    .selectFrom("api_keys")
    .select("id")
    .where(
      "id",
      "in",
      uses.map(({ keyId }) => keyId),
    )
    .orderBy("id");
  if (dialect === "postgres") keys = keys.forNoKeyUpdate();
  const known = new Set((await keys.execute()).map(({ id }) => id));
  const kept = uses.filter(({ keyId }) => known.has(keyId));
  if (kept.length === 0) return;
  await db
    .insertInto("api_key_usage")
    .values(
      kept.map(({ keyId, day, uses: count }) => ({
        key_id: keyId,
        day: BigInt(day),
        used: BigInt(count),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["key_id", "day"]).doUpdateSet((eb) => ({
        used: eb("api_key_usage.used", "+", eb.ref("excluded.used")),
      })),
    )
    .execute();
  // Of a key used on two days, the later day comes last.
  const lastUse = new Map(kept.map(({ keyId, lastUsedAtMs }) => [keyId, lastUsedAtMs]));
  const lastUses = sql.join(
    Array.from(lastUse, ([keyId, atMs]) => sql`(${keyId}, cast(${BigInt(atMs)} as bigint))`),
  );
  // Raw SQL: both databases name the columns of a values list column1 and column2.
  await sql`
    update api_keys set last_used_at_ms = uses.column2 from (values ${lastUses}) as uses
    where api_keys.id = uses.column1
      and (api_keys.last_used_at_ms is null or api_keys.last_used_at_ms < uses.column2)
  `.execute(db);
}

export async function deleteApiKeyUsesBefore(db: Kysely<Schema>, day: number): Promise<void> {
  await db.deleteFrom("api_key_usage").where("day", "<", BigInt(day)).execute();
}
