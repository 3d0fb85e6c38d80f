import { type Generated, type Kysely, sql } from "kysely";
import type { Schema, Store } from "./schema.ts";

/** Pending requests for a code, and the times at which each receiver was last sent one. */
export type SignInRequestsTables = {
  sign_in_requests: {
    id: Generated<bigint>;
    email: string;
    asker: string;
    address: string | null;
    is_known: bigint;
    requested_at_ms: bigint;
    run_at_ms: bigint;
    attempts: bigint;
  };
  codes_sent: {
    /** A keyed hash: the row outlives the account of its address. */
    receiver: string;
    last_ms: bigint;
    second_ms: bigint;
    third_ms: bigint;
    fourth_ms: bigint;
    fifth_ms: bigint;
  };
};

/** Who asks for a code, and where it goes. */
export type CodeRequest = {
  readonly email: string;
  /** Keyed hash of the browser, or the address, that may use the code. */
  readonly asker: string;
  /** The address that the request is counted under; null: not limited by address. */
  readonly address: string | null;
  /** The owner of the mailbox has signed in from this browser before. */
  readonly isFromKnownBrowser: boolean;
};

export type SignInRequest = CodeRequest & {
  readonly id: bigint;
  /** Earlier attempts. */
  readonly attempts: number;
};

/** Inserts one row, the same for known and unknown addresses. */
export async function requestSignIn(
  db: Kysely<Schema>,
  { email, asker, address, isFromKnownBrowser }: CodeRequest,
  nowMs: number,
): Promise<void> {
  const moment = BigInt(nowMs);
  const is_known = isFromKnownBrowser ? 1n : 0n;
  await db
    .insertInto("sign_in_requests")
    .values({
      email,
      asker,
      address,
      is_known,
      requested_at_ms: moment,
      run_at_ms: moment,
      attempts: 0n,
    })
    .execute();
}

/**
 * Claims up to `limit` due requests. A request that is neither finished nor postponed within
 * `leaseMs` is due again: the process that claimed it has died.
 */
export async function claimSignInRequests(
  { db, dialect }: Store,
  {
    limit,
    leaseMs,
    nowMs,
  }: { readonly limit: number; readonly leaseMs: number; readonly nowMs: number },
): Promise<readonly SignInRequest[]> {
  let due = db
    .selectFrom("sign_in_requests")
    .select("id")
    .where("run_at_ms", "<=", BigInt(nowMs))
    .orderBy("id")
    .limit(limit);
  if (dialect === "postgres") due = due.forUpdate().skipLocked();
  const rows = await db
    .updateTable("sign_in_requests")
    .set((eb) => ({ run_at_ms: BigInt(nowMs + leaseMs), attempts: eb("attempts", "+", 1n) }))
    .where("id", "in", due)
    .returning(["id", "email", "asker", "address", "is_known", "attempts"])
    .execute();
  return rows.map(({ id, email, asker, address, is_known, attempts }) => ({
    id,
    email,
    asker,
    address,
    isFromKnownBrowser: is_known === 1n,
    attempts: Number(attempts) - 1,
  }));
}

export async function finishSignInRequest(db: Kysely<Schema>, id: bigint): Promise<void> {
  await db.deleteFrom("sign_in_requests").where("id", "=", id).execute();
}

export async function postponeSignInRequest(
  db: Kysely<Schema>,
  id: bigint,
  untilMs: number,
): Promise<void> {
  await db
    .updateTable("sign_in_requests")
    .set({ run_at_ms: BigInt(untilMs) })
    .where("id", "=", id)
    .execute();
}

const ONE_EVERY_MS = 60_000n;
const FIVE_EVERY_MS = 3_600_000n;

/**
 * Counts a code sent to this receiver if one may be sent: at most one a minute and five an hour over
 * all processes. One statement over the times of the last five.
 */
export async function spendCode(
  db: Kysely<Schema>,
  receiver: string,
  nowMs: number,
): Promise<boolean> {
  const moment = BigInt(nowMs);
  const never = { second_ms: 0n, third_ms: 0n, fourth_ms: 0n, fifth_ms: 0n };
  const row = await db
    .insertInto("codes_sent")
    .values({ receiver, last_ms: moment, ...never })
    .onConflict((conflict) =>
      conflict
        .column("receiver")
        .doUpdateSet({
          last_ms: moment,
          second_ms: sql.ref("codes_sent.last_ms"),
          third_ms: sql.ref("codes_sent.second_ms"),
          fourth_ms: sql.ref("codes_sent.third_ms"),
          fifth_ms: sql.ref("codes_sent.fourth_ms"),
        })
        .where("codes_sent.last_ms", "<=", moment - ONE_EVERY_MS)
        .where("codes_sent.fifth_ms", "<=", moment - FIVE_EVERY_MS),
    )
    .returning("receiver")
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the times that no longer limit a receiver. */
export async function deleteOldCodesSent(db: Kysely<Schema>, nowMs: number): Promise<void> {
  await db
    .deleteFrom("codes_sent")
    .where("last_ms", "<", BigInt(nowMs) - FIVE_EVERY_MS)
    .execute();
}
