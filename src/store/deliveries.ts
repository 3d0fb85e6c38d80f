import type { Generated, Kysely } from "kysely";
import { type Channel, toChannel } from "./channels.ts";
import { type MessageRules, planMessage, type RecentMessage } from "./message-plan.ts";
import type { Schema, Store } from "./schema.ts";
import { toUserAlert, type UserAlert } from "./user-alerts.ts";
import type { UserId } from "./user-id.ts";

/** What is to be sent, is being sent, and was: written in the transaction of the alerts themselves. */
export type DeliveriesTables = {
  messages: {
    id: Generated<bigint>;
    /** The same at every attempt: receivers tell by it what they have. */
    uid: string;
    channel_id: bigint;
    /** `open`: alerts can be added; `sealed`: sending was begun; `delivered`; `dead`: given up. */
    status: string;
    due_ms: bigint;
    attempts: bigint;
    ended_at_ms: bigint | null;
    last_error: string | null;
  };
  message_alerts: { message_id: bigint; alert_id: bigint };
};

export type MessageTimes = MessageRules & {
  readonly nowMs: number;
  readonly newUid: () => string;
};

type Queued = { readonly id: bigint; readonly userId: UserId; readonly mint: string };

/** Puts alerts in the messages of every channel that their users have verified and switched on. */
export async function enqueueAlerts(
  { db, dialect }: Store,
  alerts: readonly Queued[],
  times: MessageTimes,
): Promise<void> {
  if (alerts.length === 0) return;
  const users = [...new Set(alerts.map(({ userId }) => userId))];
  const channels = await db
    .selectFrom("channels")
    .select(["id", "user_id"])
    .where("user_id", "in", users)
    .where("enabled", "=", 1n)
    .where("verified_at_ms", "is not", null)
    .execute();
  if (channels.length === 0) return;
  const ids = channels.map(({ id }) => id);
  const recent = await recentMessages({ db, dialect }, ids, times);
  const made: NewMessage[] = [];
  const placed: { readonly uid: string; readonly alertId: bigint }[] = [];
  for (const { id: channelId, user_id: userId } of channels) {
    const messages = recent.get(channelId) ?? [];
    for (const alert of alerts.filter((each) => each.userId === userId)) {
      const plan = planMessage(messages, alert.mint, times);
      const message = plan.kind === "append" ? plan.to : newMessage(plan.dueMs, times.newUid());
      message.mints.add(alert.mint);
      placed.push({ uid: message.uid, alertId: alert.id });
      if (plan.kind === "append") continue;
      messages.push(message);
      made.push({ channelId, message });
    }
  }
  await writeMessages(db, { made, placed, known: [...recent.values()].flat() });
}

type NewMessage = { readonly channelId: bigint; readonly message: RecentMessage };

function newMessage(dueMs: number, uid: string): RecentMessage {
  return { id: null, uid, isOpen: true, dueMs, mints: new Set() };
}

/** By channel. Those that are open stay so until this transaction ends. */
async function recentMessages(
  { db, dialect }: Store,
  channelIds: readonly bigint[],
  { nowMs, coolDownMs, burst }: MessageTimes,
): Promise<Map<bigint, RecentMessage[]>> {
  let query = db
    .selectFrom("messages")
    .select(["id", "uid", "channel_id", "status", "due_ms"])
    .where("channel_id", "in", channelIds)
    .where("due_ms", ">", BigInt(nowMs - Math.max(coolDownMs, burst.windowMs)))
    .orderBy("id");
  if (dialect === "postgres") query = query.forUpdate();
  const rows = await query.execute();
  const byId = new Map<bigint, RecentMessage>();
  const byChannel = new Map<bigint, RecentMessage[]>(channelIds.map((id) => [id, []]));
  for (const row of rows) {
    const { id, uid, due_ms: dueMs } = row;
    const isOpen = row.status === "open";
    const message = { id, uid, isOpen, dueMs: Number(dueMs), mints: new Set<string>() };
    byId.set(id, message);
    byChannel.get(row.channel_id)?.push(message);
  }
  if (rows.length === 0) return byChannel;
  const mints = await db
    .selectFrom("message_alerts")
    .innerJoin("user_alerts", "user_alerts.id", "message_alerts.alert_id")
    .select(["message_id", "mint"])
    .where("message_id", "in", [...byId.keys()])
    .execute();
  for (const row of mints) byId.get(row.message_id)?.mints.add(row.mint);
  return byChannel;
}

async function writeMessages(
  db: Kysely<Schema>,
  written: {
    readonly made: readonly NewMessage[];
    readonly placed: readonly { readonly uid: string; readonly alertId: bigint }[];
    readonly known: readonly RecentMessage[];
  },
): Promise<void> {
  const idOf = new Map(written.known.flatMap(({ id, uid }) => (id === null ? [] : [[uid, id]])));
  if (written.made.length > 0) {
    const rows = await db
      .insertInto("messages")
      .values(
        written.made.map(({ channelId, message }) => ({
          uid: message.uid,
          channel_id: channelId,
          status: "open",
          due_ms: BigInt(message.dueMs),
          attempts: 0n,
          ended_at_ms: null,
          last_error: null,
        })),
      )
      .returning(["id", "uid"])
      .execute();
    for (const { id, uid } of rows) idOf.set(uid, id);
  }
  const links = written.placed.flatMap(({ uid, alertId }) => {
    const id = idOf.get(uid);
    return id === undefined ? [] : [{ message_id: id, alert_id: alertId }];
  });
  if (links.length !== written.placed.length) throw new Error("a message was not written");
  await db.insertInto("message_alerts").values(links).execute();
}

export type ChannelClaim = {
  readonly limit: number;
  readonly leaseMs: number;
  readonly nowMs: number;
  /** Channels whose last attempt failed or took long are claimed apart from the others. */
  readonly isSlow: boolean;
};

/**
 * Takes up to `limit` channels that have something due, each for this worker alone. One that is not
 * given back is free again after `leaseMs`: whoever took it has died.
 */
export async function claimChannels(
  { db, dialect }: Store,
  { limit, leaseMs, nowMs, isSlow }: ChannelClaim,
): Promise<readonly Channel[]> {
  const moment = BigInt(nowMs);
  let due = db
    .selectFrom("channels")
    .select("id")
    .where("enabled", "=", 1n)
    .where("verified_at_ms", "is not", null)
    .where("is_slow", "=", isSlow ? 1n : 0n)
    .where("lease_until_ms", "<=", moment)
    .where("retry_at_ms", "<=", moment)
    .where("id", "in", (eb) =>
      eb
        .selectFrom("messages")
        .select("channel_id")
        .where("ended_at_ms", "is", null)
        .where("due_ms", "<=", moment),
    )
    .orderBy("retry_at_ms")
    .limit(limit);
  if (dialect === "postgres") due = due.forUpdate().skipLocked();
  const rows = await db
    .updateTable("channels")
    .set({ lease_until_ms: BigInt(nowMs + leaseMs) })
    .where("id", "in", due)
    .returningAll()
    .execute();
  return rows.map(toChannel);
}

export type Message = {
  readonly id: bigint;
  readonly uid: string;
  /** How often it was begun, this time included. */
  readonly attempts: number;
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
    .returning(["id", "uid", "attempts", "due_ms"])
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
    dueMs: Number(row.due_ms),
    alerts: alerts.map(toUserAlert),
  };
}

export type Attempt = {
  readonly channelId: bigint;
  readonly messageId: bigint;
  readonly nowMs: number;
  readonly isSlow: boolean;
};

/** The receiver has the message. The channel is free again. */
export async function finishMessage(db: Kysely<Schema>, attempt: Attempt): Promise<void> {
  const { channelId, messageId, nowMs, isSlow } = attempt;
  await db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable("messages")
      .set({ status: "delivered", ended_at_ms: BigInt(nowMs), last_error: null })
      .where("id", "=", messageId)
      .execute();
    await transaction
      .updateTable("channels")
      .set({
        last_delivery_at_ms: BigInt(nowMs),
        last_error: null,
        failing_since_ms: null,
        is_slow: isSlow ? 1n : 0n,
        retry_at_ms: 0n,
        lease_until_ms: 0n,
      })
      .where("id", "=", channelId)
      .execute();
  });
}

/**
 * The receiver does not have it, as far as is known. The channel rests until `retryAtMs`, and its
 * other messages with it; null: the message is given up, and the next one is tried.
 */
export async function failMessage(
  db: Kysely<Schema>,
  attempt: Attempt & { readonly error: string; readonly retryAtMs: number | null },
): Promise<void> {
  const { channelId, messageId, nowMs, error, retryAtMs, isSlow } = attempt;
  await db.transaction().execute(async (transaction) => {
    const ended = retryAtMs === null ? { status: "dead", ended_at_ms: BigInt(nowMs) } : {};
    await transaction
      .updateTable("messages")
      .set({ last_error: error, ...ended })
      .where("id", "=", messageId)
      .execute();
    await transaction
      .updateTable("channels")
      .set((eb) => ({
        last_error: error,
        failing_since_ms: eb.fn.coalesce("failing_since_ms", eb.val(BigInt(nowMs))),
        is_slow: isSlow ? 1n : 0n,
        retry_at_ms: BigInt(retryAtMs ?? nowMs),
        lease_until_ms: 0n,
      }))
      .where("id", "=", channelId)
      .execute();
  });
}

/** Gives back a channel that had nothing to send after all. */
export async function releaseChannel(db: Kysely<Schema>, channelId: bigint): Promise<void> {
  await db
    .updateTable("channels")
    .set({ lease_until_ms: 0n })
    .where("id", "=", channelId)
    .execute();
}

/** Frees every channel: for a process that has the database for itself and has just begun. */
export async function releaseAllChannels(db: Kysely<Schema>): Promise<void> {
  await db
    .updateTable("channels")
    .set({ lease_until_ms: 0n })
    .where("lease_until_ms", ">", 0n)
    .execute();
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

/** Drops messages that ended long ago. */
export async function forgetMessagesBefore(db: Kysely<Schema>, ms: number): Promise<void> {
  await db.deleteFrom("messages").where("ended_at_ms", "<", BigInt(ms)).execute();
}
