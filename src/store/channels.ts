import type { Generated, Kysely, Selectable } from "kysely";
import type { Schema, Store } from "./schema.ts";
import type { UserId } from "./user-id.ts";

export type ChannelsTables = {
  channels: {
    id: Generated<bigint>;
    user_id: UserId;
    kind: string;
    /** Address, URL, chat, or a push subscription as JSON. */
    target: string;
    language: string;
    /** What a webhook's secret is derived from, together with the service's own. */
    nonce: string;
    enabled: bigint;
    verified_at_ms: bigint | null;
    code_hash: string | null;
    code_until_ms: bigint;
    code_tries: bigint;
    tested_at_ms: bigint;
    created_at_ms: bigint;
    last_delivery_at_ms: bigint | null;
    last_error: string | null;
    /** Since when nothing has arrived; null: the last attempt did. */
    failing_since_ms: bigint | null;
    /** Whether its last attempt failed or took long: such channels wait for each other alone. */
    is_slow: bigint;
    retry_at_ms: bigint;
    /** Until when a worker has this channel for itself. */
    lease_until_ms: bigint;
  };
};

export const CHANNEL_KINDS = ["email", "webhook", "telegram", "push"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export type Channel = {
  readonly id: bigint;
  readonly userId: UserId;
  readonly kind: ChannelKind;
  readonly target: string;
  readonly language: "es" | "en";
  readonly nonce: string;
  readonly isEnabled: boolean;
  readonly isVerified: boolean;
  readonly createdAtMs: number;
  readonly lastDeliveryAtMs: number | null;
  readonly lastError: string | null;
  readonly failingSinceMs: number | null;
};

export type NewChannel = Pick<Channel, "userId" | "kind" | "target" | "language" | "nonce"> & {
  readonly isVerified: boolean;
};

export type ChannelAdded =
  | { readonly kind: "added"; readonly channel: Channel }
  | { readonly kind: "duplicate" }
  | { readonly kind: "limit-reached" }
  | { readonly kind: "no-user" };

/** Adds a channel where the user has fewer than `limit`. Additions of one user wait for each other. */
export async function addChannel(
  { db, dialect }: Store,
  channel: NewChannel,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<ChannelAdded> {
  return db.transaction().execute(async (transaction) => {
    let owner = transaction.selectFrom("users").select("id").where("id", "=", channel.userId);
    if (dialect === "postgres") owner = owner.forNoKeyUpdate();
    if ((await owner.executeTakeFirst()) === undefined) return { kind: "no-user" };
    const known = await channelsOfUser(transaction, channel.userId);
    const { kind, target } = channel;
    if (known.some((other) => other.kind === kind && other.target === target))
      return { kind: "duplicate" };
    if (known.length >= limit) return { kind: "limit-reached" };
    const row = await transaction
      .insertInto("channels")
      .values(newRow(channel, nowMs))
      .returningAll()
      .executeTakeFirstOrThrow();
    return { kind: "added", channel: toChannel(row) };
  });
}

function newRow(channel: NewChannel, nowMs: number) {
  return {
    user_id: channel.userId,
    kind: channel.kind,
    target: channel.target,
    language: channel.language,
    nonce: channel.nonce,
    enabled: 1n,
    verified_at_ms: channel.isVerified ? BigInt(nowMs) : null,
    code_hash: null,
    code_until_ms: 0n,
    code_tries: 0n,
    tested_at_ms: 0n,
    created_at_ms: BigInt(nowMs),
    last_delivery_at_ms: null,
    last_error: null,
    failing_since_ms: null,
    is_slow: 0n,
    retry_at_ms: 0n,
    lease_until_ms: 0n,
  };
}

export function toChannel(row: Selectable<ChannelsTables["channels"]>): Channel {
  const kind = CHANNEL_KINDS.find((name) => name === row.kind);
  if (kind === undefined) throw new Error(`a channel of unknown kind: ${row.kind}`);
  return {
    id: row.id,
    userId: row.user_id,
    kind,
    target: row.target,
    language: row.language === "en" ? "en" : "es",
    nonce: row.nonce,
    isEnabled: row.enabled !== 0n,
    isVerified: row.verified_at_ms !== null,
    createdAtMs: Number(row.created_at_ms),
    lastDeliveryAtMs: row.last_delivery_at_ms === null ? null : Number(row.last_delivery_at_ms),
    lastError: row.last_error,
    failingSinceMs: row.failing_since_ms === null ? null : Number(row.failing_since_ms),
  };
}

/** The user's channels, oldest first. */
export async function channelsOfUser(
  db: Kysely<Schema>,
  userId: UserId,
): Promise<readonly Channel[]> {
  const rows = await db
    .selectFrom("channels")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
  return rows.map(toChannel);
}

type Owned = { readonly userId: UserId; readonly id: bigint };

/**
 * Whether a test or a code may be sent now: at most one every `everyMs` to a channel. Counts it.
 *
 * @returns the channel; "too-soon"; null where the user has no such channel
 */
export async function claimChannelTest(
  db: Kysely<Schema>,
  { userId, id }: Owned,
  { nowMs, everyMs }: { readonly nowMs: number; readonly everyMs: number },
): Promise<Channel | "too-soon" | null> {
  const row = await db
    .updateTable("channels")
    .set({ tested_at_ms: BigInt(nowMs) })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("tested_at_ms", "<=", BigInt(nowMs - everyMs))
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return toChannel(row);
  const known = await channelsOfUser(db, userId);
  return known.some((channel) => channel.id === id) ? "too-soon" : null;
}

/** Sets the code that verifies a channel: the one before no longer does. */
export async function setChannelCode(
  db: Kysely<Schema>,
  id: bigint,
  { codeHash, untilMs }: { readonly codeHash: string; readonly untilMs: number },
): Promise<void> {
  await db
    .updateTable("channels")
    .set({ code_hash: codeHash, code_until_ms: BigInt(untilMs), code_tries: 0n })
    .where("id", "=", id)
    .execute();
}

/**
 * Tries a code on a channel that waits for one. Each try counts, right or wrong, in one statement;
 * after `tries` of them only a new code helps.
 *
 * @returns null where the user has no such channel
 */
export async function tryChannelCode(
  db: Kysely<Schema>,
  { userId, id }: Owned,
  attempt: { readonly codeHash: string; readonly tries: number; readonly nowMs: number },
): Promise<"verified" | "wrong" | null> {
  const moment = BigInt(attempt.nowMs);
  const tried = await db
    .updateTable("channels")
    .set((eb) => ({ code_tries: eb("code_tries", "+", 1n) }))
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("code_tries", "<", BigInt(attempt.tries))
    .where("code_until_ms", ">", moment)
    .returning("code_hash")
    .executeTakeFirst();
  if (tried === undefined || tried.code_hash !== attempt.codeHash) {
    const known = await channelsOfUser(db, userId);
    return known.some((channel) => channel.id === id) ? "wrong" : null;
  }
  await db
    .updateTable("channels")
    .set({ verified_at_ms: moment, code_hash: null, code_until_ms: 0n })
    .where("id", "=", id)
    .execute();
  return "verified";
}

/**
 * Switches a channel on or off. What waits to be sent when it is switched off is never sent: it
 * would be old by the time that it is switched on.
 *
 * @returns whether the user has such a channel
 */
export async function switchChannel(
  db: Kysely<Schema>,
  { userId, id }: Owned,
  isEnabled: boolean,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const switched = await transaction
      .updateTable("channels")
      .set({ enabled: isEnabled ? 1n : 0n, retry_at_ms: 0n })
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .executeTakeFirst();
    if (switched.numUpdatedRows === 0n) return false;
    if (!isEnabled)
      await transaction
        .deleteFrom("messages")
        .where("channel_id", "=", id)
        .where("ended_at_ms", "is", null)
        .execute();
    return true;
  });
}

/** @returns whether the user had such a channel */
export async function removeChannel(db: Kysely<Schema>, { userId, id }: Owned): Promise<boolean> {
  const removed = await db
    .deleteFrom("channels")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return removed.numDeletedRows > 0n;
}

/**
 * What the last attempt to reach a channel outside the queue came to: a code, or a test. Where it arrived (`null`),
 * the channel is not failing, and what waits for it is due.
 */
export async function noteChannelError(
  db: Kysely<Schema>,
  id: bigint,
  error: string | null,
): Promise<void> {
  const change = error === null ? { failing_since_ms: null, retry_at_ms: 0n } : {};
  await db
    .updateTable("channels")
    .set({ last_error: error, ...change })
    .where("id", "=", id)
    .execute();
}
