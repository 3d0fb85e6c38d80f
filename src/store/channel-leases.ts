import type { Kysely } from "kysely";
import { type Channel, toChannel } from "./channels.ts";
import type { Schema, Store } from "./schema.ts";

/** Which channels a worker takes, and for how long. */
export type ChannelClaim = {
  readonly limit: number;
  readonly leaseMs: number;
  readonly nowMs: number;
  /** Channels whose last attempt failed or took long are claimed apart from the others. */
  readonly isSlow: boolean;
};

/** A channel with the end of its lease, which distinguishes its worker from a later one. */
export type ClaimedChannel = Channel & { readonly leaseUntilMs: number };

/**
 * Takes up to `limit` channels that have something due, each for this worker alone. One that is not
 * given back is free again after `leaseMs`: its worker has died.
 */
export async function claimChannels(
  { db, dialect }: Store,
  { limit, leaseMs, nowMs, isSlow }: ChannelClaim,
): Promise<readonly ClaimedChannel[]> {
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
  return rows.map((row) => ({ ...toChannel(row), leaseUntilMs: Number(row.lease_until_ms) }));
}

/** A channel that a worker holds, by the end of its lease. */
export type HeldChannel = { readonly channelId: bigint; readonly leaseUntilMs: number };

/** Gives back a channel that had nothing to send after all. */
export async function releaseChannel(
  db: Kysely<Schema>,
  { channelId, leaseUntilMs }: HeldChannel,
): Promise<void> {
  await db
    .updateTable("channels")
    .set({ lease_until_ms: 0n })
    .where("id", "=", channelId)
    .where("lease_until_ms", "=", BigInt(leaseUntilMs))
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
