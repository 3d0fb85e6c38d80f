import assert from "node:assert/strict";
import type { Generated, Kysely } from "kysely";
import { inChunks } from "./chunks.ts";
import type { Schema, Store } from "./schema.ts";
import { toUserAlert, type UserAlert } from "./user-alerts.ts";
import type { UserId } from "./user-id.ts";

/** What is to be sent, is being sent, and was: written in the transaction of the alerts themselves. */
export type DeliveriesTables = {
  messages: {
    id: Generated<bigint>;
    /** The same at every attempt: receivers use it to drop repeats. */
    uid: string;
    channel_id: bigint;
    /** `open`: alerts can be added; `sealed`: sending was begun; `delivered`; `dead`: given up. */
    status: string;
    due_ms: bigint;
    attempts: bigint;
    /** How many of the attempts the receiver refused. */
    refusals: bigint;
    ended_at_ms: bigint | null;
    last_error: string | null;
  };
  message_alerts: { message_id: bigint; alert_id: bigint };
};

/** A channel that new alerts of its user are sent to. */
export type DeliveryTarget = { readonly channelId: bigint; readonly userId: UserId };

/**
 * The verified and enabled channels of these users. Called in a transaction: they stay enabled until it
 * ends, so that no message is queued after the switch that drops what waits. Every transaction on a
 * channel and its messages locks the channel first, which prevents deadlocks.
 */
export async function deliveryTargets(
  { db, dialect }: Store,
  userIds: readonly UserId[],
): Promise<readonly DeliveryTarget[]> {
  const targets: DeliveryTarget[] = [];
  for (const ids of inChunks(userIds)) {
    let query = db
      .selectFrom("channels")
      .select(["id", "user_id"])
      .where("user_id", "in", ids)
      .where("enabled", "=", 1n)
      .where("verified_at_ms", "is not", null)
      .orderBy("id");
    if (dialect === "postgres") query = query.forShare();
    const rows = await query.execute();
    targets.push(...rows.map((row) => ({ channelId: row.id, userId: row.user_id })));
  }
  return targets;
}

/** A message of a channel, with the tokens that it is about. */
export type QueuedMessage = {
  readonly uid: string;
  readonly channelId: bigint;
  /** Sending has not begun: alerts can still be added. */
  readonly isOpen: boolean;
  readonly dueMs: number;
  readonly mints: ReadonlySet<string>;
};

/**
 * The messages of these channels that are due after `dueAfterMs`. Called in a transaction: messages
 * that are open stay open until it ends.
 */
export async function queuedMessages(
  { db, dialect }: Store,
  channelIds: readonly bigint[],
  dueAfterMs: number,
): Promise<readonly QueuedMessage[]> {
  const messages: QueuedMessage[] = [];
  for (const ids of inChunks(channelIds)) {
    let query = db
      .selectFrom("messages")
      .select(["id", "uid", "channel_id", "status", "due_ms"])
      .where("channel_id", "in", ids)
      .where("due_ms", ">", BigInt(dueAfterMs))
      .orderBy("id");
    if (dialect === "postgres") query = query.forUpdate();
    const rows = await query.execute();
    const mints = await mintsOfMessages(
      db,
      rows.map(({ id }) => id),
    );
    for (const row of rows)
      messages.push({
        uid: row.uid,
        channelId: row.channel_id,
        isOpen: row.status === "open",
        dueMs: Number(row.due_ms),
        mints: mints.get(row.id) ?? new Set(),
      });
  }
  return messages;
}

async function mintsOfMessages(
  db: Kysely<Schema>,
  messageIds: readonly bigint[],
): Promise<ReadonlyMap<bigint, ReadonlySet<string>>> {
  const mints = new Map<bigint, Set<string>>();
  for (const ids of inChunks(messageIds)) {
    const rows = await db
      .selectFrom("message_alerts")
      .innerJoin("user_alerts", "user_alerts.id", "message_alerts.alert_id")
      .select(["message_id", "mint"])
      .where("message_id", "in", ids)
      .execute();
    for (const { message_id: id, mint } of rows) {
      const known = mints.get(id);
      if (known === undefined) mints.set(id, new Set([mint]));
      else known.add(mint);
    }
  }
  return mints;
}

export type MessageWrites = {
  readonly created: readonly {
    readonly uid: string;
    readonly channelId: bigint;
    readonly dueMs: number;
  }[];
  /** The message that each alert goes out in: a created one, or one that was queued already. */
  readonly links: readonly { readonly uid: string; readonly alertId: bigint }[];
};

export async function insertMessages(
  db: Kysely<Schema>,
  { created, links }: MessageWrites,
): Promise<void> {
  for (const chunk of inChunks(created))
    await db
      .insertInto("messages")
      .values(
        chunk.map(({ uid, channelId, dueMs }) => ({
          uid,
          channel_id: channelId,
          status: "open",
          due_ms: BigInt(dueMs),
          attempts: 0n,
          refusals: 0n,
          ended_at_ms: null,
          last_error: null,
        })),
      )
      .execute();
  for (const chunk of inChunks(links)) {
    const uids = [...new Set(chunk.map(({ uid }) => uid))];
    const rows = await db
      .selectFrom("messages")
      .select(["id", "uid"])
      .where("uid", "in", uids)
      .execute();
    const idOf = new Map(rows.map(({ id, uid }) => [uid, id]));
    const values = chunk.flatMap(({ uid, alertId }) => {
      const id = idOf.get(uid);
      return id === undefined ? [] : [{ message_id: id, alert_id: alertId }];
    });
    assert.equal(values.length, chunk.length, "each alert has its message");
    await db.insertInto("message_alerts").values(values).execute();
  }
}

export type Message = {
  readonly id: bigint;
  readonly uid: string;
  /** How often it was begun, this time included. */
  readonly attempts: number;
  /** How often its receiver refused it. */
  readonly refusals: number;
  readonly dueMs: number;
  readonly alerts: readonly UserAlert[];
};

/** The message that a claimed channel has to send next: nothing is added to it from now on. */
export async function takeMessage(
  db: Kysely<Schema>,
  channelId: bigint,
  nowMs: number,
): Promise<Message | null> {
  const row = await db
    .updateTable("messages")
    .set((eb) => ({ status: "sealed", attempts: eb("attempts", "+", 1n) }))
    .where("id", "=", (eb) =>
      eb
        .selectFrom("messages")
        .select("id")
        .where("channel_id", "=", channelId)
        .where("ended_at_ms", "is", null)
        .where("due_ms", "<=", BigInt(nowMs))
        .orderBy("due_ms")
        .orderBy("id")
        .limit(1),
    )
    .returning(["id", "uid", "attempts", "refusals", "due_ms"])
    .executeTakeFirst();
  if (row === undefined) return null;
  const alerts = await db
    .selectFrom("user_alerts")
    .innerJoin("message_alerts", "message_alerts.alert_id", "user_alerts.id")
    .selectAll("user_alerts")
    .where("message_alerts.message_id", "=", row.id)
    .orderBy("user_alerts.id")
    .execute();
  return {
    id: row.id,
    uid: row.uid,
    attempts: Number(row.attempts),
    refusals: Number(row.refusals),
    dueMs: Number(row.due_ms),
    alerts: alerts.map(toUserAlert),
  };
}

export type DeadLetter = {
  readonly alertId: bigint;
  readonly channelId: bigint;
  readonly userId: UserId;
  readonly kind: string;
  readonly failedAtMs: number;
  readonly error: string;
};

/** Alerts that were given up, the newest first: one user's, or, with null, everybody's. */
export async function deadLetters(
  db: Kysely<Schema>,
  { userId, limit }: { readonly userId: UserId | null; readonly limit: number },
): Promise<readonly DeadLetter[]> {
  let query = db
    .selectFrom("messages")
    .innerJoin("channels", "channels.id", "messages.channel_id")
    .innerJoin("message_alerts", "message_alerts.message_id", "messages.id")
    .select(["alert_id", "channel_id", "channels.user_id", "kind", "ended_at_ms"])
    .select("messages.last_error")
    .where("status", "=", "dead");
  if (userId !== null) query = query.where("channels.user_id", "=", userId);
  const rows = await query
    .orderBy("ended_at_ms", "desc")
    .orderBy("alert_id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    alertId: row.alert_id,
    channelId: row.channel_id,
    userId: row.user_id,
    kind: row.kind,
    failedAtMs: Number(row.ended_at_ms ?? 0n),
    error: row.last_error ?? "unknown",
  }));
}

/** How many messages wait, and since when the longest of them has been due. */
export async function waitingMessages(
  db: Kysely<Schema>,
): Promise<{ readonly count: number; readonly oldestDueMs: number | null }> {
  const row = await db
    .selectFrom("messages")
    .select((eb) => [eb.fn.countAll<bigint>().as("count"), eb.fn.min("due_ms").as("oldest")])
    .where("ended_at_ms", "is", null)
    .executeTakeFirstOrThrow();
  return {
    count: Number(row.count),
    oldestDueMs: row.oldest === null ? null : Number(row.oldest),
  };
}

/** When the first message after the one moment, and up to the other, is due; null: none is. */
export async function nextDueMs(
  db: Kysely<Schema>,
  { afterMs, upToMs }: { readonly afterMs: number; readonly upToMs: number },
): Promise<number | null> {
  const row = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.min("due_ms").as("due"))
    .where("ended_at_ms", "is", null)
    .where("due_ms", ">", BigInt(afterMs))
    .where("due_ms", "<=", BigInt(upToMs))
    .executeTakeFirstOrThrow();
  return row.due === null ? null : Number(row.due);
}

/**
 * Makes due now what waits longer than a plan of this moment can: the clock has been set back since it was planned.
 * `latestMs` is for messages that were not refused, `latestRetryMs` for refused ones and for channels. A lease beyond
 * `latestLeaseMs` is of a process that died before that, and ends.
 */
export async function bringForward(
  db: Kysely<Schema>,
  times: {
    readonly nowMs: number;
    readonly latestMs: number;
    readonly latestRetryMs: number;
    readonly latestLeaseMs: number;
  },
): Promise<void> {
  const nowMs = BigInt(times.nowMs);
  const latestRetryMs = BigInt(times.latestRetryMs);
  await db
    .updateTable("channels")
    .set({ retry_at_ms: nowMs })
    .where("retry_at_ms", ">", latestRetryMs)
    .execute();
  await db
    .updateTable("channels")
    .set({ lease_until_ms: 0n })
    .where("lease_until_ms", ">", BigInt(times.latestLeaseMs))
    .execute();
  await db
    .updateTable("messages")
    .set({ due_ms: nowMs })
    .where("ended_at_ms", "is", null)
    .where("due_ms", ">", BigInt(times.latestMs))
    .where((eb) => eb.or([eb("refusals", "=", 0n), eb("due_ms", ">", latestRetryMs)]))
    .execute();
}

/** Deletes messages that ended before then. */
export async function deleteMessagesBefore(db: Kysely<Schema>, ms: number): Promise<void> {
  await db.deleteFrom("messages").where("ended_at_ms", "<", BigInt(ms)).execute();
}
