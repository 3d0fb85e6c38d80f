import type { ExpressionBuilder, Kysely, UpdateObject } from "kysely";
import type { HeldChannel } from "./channel-leases.ts";
import type { Schema } from "./schema.ts";

/** One attempt to deliver a message. What it ends with is written to its channel first, then to the message. */
export type Attempt = HeldChannel & {
  readonly messageId: bigint;
  readonly nowMs: number;
  readonly isSlow: boolean;
};

/** The receiver has the message. The channel is free again, unless another worker holds it by now. */
export async function finishMessage(db: Kysely<Schema>, attempt: Attempt): Promise<void> {
  const { messageId, nowMs, isSlow } = attempt;
  await db.transaction().execute(async (transaction) => {
    await endLease(transaction, attempt, () => ({
      last_delivery_at_ms: BigInt(nowMs),
      last_error: null,
      failing_since_ms: null,
      is_slow: isSlow ? 1n : 0n,
      retry_at_ms: 0n,
    }));
    await transaction
      .updateTable("messages")
      .set({ status: "delivered", ended_at_ms: BigInt(nowMs), last_error: null })
      .where("id", "=", messageId)
      .execute();
  });
}

/**
 * The receiver does not have it, as far as is known. The channel rests until `retryAtMs`, and its
 * other messages with it; null: the message is given up, and the next one is tried.
 *
 * @returns false where the attempt outlasted its lease: nothing changes, another worker tries the message or has
 * delivered it
 */
export async function failMessage(
  db: Kysely<Schema>,
  attempt: Attempt & { readonly error: string; readonly retryAtMs: number | null },
): Promise<boolean> {
  const { messageId, nowMs, error, retryAtMs, isSlow } = attempt;
  const ended = retryAtMs === null ? { status: "dead", ended_at_ms: BigInt(nowMs) } : {};
  return db.transaction().execute(async (transaction) => {
    const isHeld = await endLease(transaction, attempt, (eb) => ({
      last_error: error,
      failing_since_ms: eb.fn.coalesce("failing_since_ms", eb.val(BigInt(nowMs))),
      is_slow: isSlow ? 1n : 0n,
      retry_at_ms: BigInt(retryAtMs ?? nowMs),
    }));
    if (!isHeld) return false;
    await transaction
      .updateTable("messages")
      .set({ last_error: error, ...ended })
      .where("id", "=", messageId)
      .where("ended_at_ms", "is", null)
      .execute();
    return true;
  });
}

/**
 * The receiver refused this message. It is due again at `retryAtMs` (null: it is given up), and the
 * channel is free for its other messages at once.
 *
 * @returns as `failMessage`
 */
export async function refuseMessage(
  db: Kysely<Schema>,
  attempt: Attempt & { readonly error: string; readonly retryAtMs: number | null },
): Promise<boolean> {
  const { messageId, nowMs, error, retryAtMs, isSlow } = attempt;
  const change =
    retryAtMs === null
      ? { status: "dead", ended_at_ms: BigInt(nowMs) }
      : { due_ms: BigInt(retryAtMs) };
  return db.transaction().execute(async (transaction) => {
    const isHeld = await endLease(transaction, attempt, () => ({
      last_error: error,
      is_slow: isSlow ? 1n : 0n,
      retry_at_ms: 0n,
    }));
    if (!isHeld) return false;
    await transaction
      .updateTable("messages")
      .set((eb) => ({ last_error: error, refusals: eb("refusals", "+", 1n), ...change }))
      .where("id", "=", messageId)
      .where("ended_at_ms", "is", null)
      .execute();
    return true;
  });
}

/**
 * The receiver is gone for good: the channel is switched off, and what waits for it is given up.
 *
 * @returns how many messages that were; null where the attempt outlasted its lease: nothing changes
 */
export async function endChannel(
  db: Kysely<Schema>,
  attempt: Attempt & { readonly error: string },
): Promise<number | null> {
  const { channelId, nowMs, error } = attempt;
  const moment = BigInt(nowMs);
  return db.transaction().execute(async (transaction) => {
    const isHeld = await endLease(transaction, attempt, (eb) => ({
      enabled: 0n,
      last_error: error,
      failing_since_ms: eb.fn.coalesce("failing_since_ms", eb.val(moment)),
      retry_at_ms: 0n,
    }));
    if (!isHeld) return null;
    const ended = await transaction
      .updateTable("messages")
      .set({ status: "dead", ended_at_ms: moment, last_error: error })
      .where("channel_id", "=", channelId)
      .where("ended_at_ms", "is", null)
      .executeTakeFirst();
    return Number(ended.numUpdatedRows);
  });
}

/** @returns whether this worker still held the channel; if not, nothing is changed */
async function endLease(
  db: Kysely<Schema>,
  { channelId, leaseUntilMs }: HeldChannel,
  result: (eb: ExpressionBuilder<Schema, "channels">) => UpdateObject<Schema, "channels">,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("channels")
    .set({ lease_until_ms: 0n })
    .set(result)
    .where("id", "=", channelId)
    .where("lease_until_ms", "=", BigInt(leaseUntilMs))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
