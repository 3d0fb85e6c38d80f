import { type Generated, type Kysely, type Selectable, sql } from "kysely";
import type { CauseShares } from "#src/measure/series/losses.ts";
import type { Address } from "#src/units/address.ts";
import { causeShareColumns, causeSharesOf } from "./alerts.ts";
import { inChunks } from "./chunks.ts";
import type { Schema, Store } from "./schema.ts";
import type { UserId } from "./user-id.ts";

export type UserAlertsTables = {
  user_alerts: {
    id: Generated<bigint>;
    /** Names the event: the same one is recorded once. */
    dedupe: string;
    entry_id: bigint;
    user_id: UserId;
    mint: Address;
    token_name: string | null;
    token_symbol: string | null;
    size_lamports: bigint;
    kind: string;
    cause: string;
    share: number | null;
    slot: bigint;
    slippage_before_pct: number | null;
    slippage_after_pct: number | null;
    c10_before_sol: number | null;
    c10_after_sol: number | null;
    depth_before_sol: number | null;
    depth_after_sol: number | null;
    /** The position at the alert, which is sold again for the grade; decimal. */
    base_units: string | null;
    paid_lamports: bigint | null;
    since_ms: bigint;
    created_at_ms: bigint;
    /** Null: graded, or given up. */
    grade_due_ms: bigint | null;
    graded_at_ms: bigint | null;
    was_worse: bigint | null;
    waited_cost_pct: number | null;
    withdrawn_share: number | null;
    sold_share: number | null;
    fees_share: number | null;
    paused_share: number | null;
    /** Null: confirmed. */
    commitment: string | null;
    taken_back_at_ms: bigint | null;
  };
};

const ALERT_KINDS = ["deterioration", "slippage", "no-exit", "blocked"] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Figures before and after the fall; null: not known. */
export type BeforeAfter = { readonly before: number | null; readonly after: number | null };

export type Grade = {
  readonly gradedAtMs: number;
  readonly wasWorse: boolean;
  /** Percent of what the position would have paid before the fall that it no longer pays; null: not known. */
  readonly waitedCostPct: number | null;
};

export type UserAlert = {
  readonly id: bigint;
  readonly entryId: bigint;
  readonly userId: UserId;
  readonly mint: Address;
  /** The token's own words: untrusted text. */
  readonly tokenName: string | null;
  readonly tokenSymbol: string | null;
  readonly sizeLamports: bigint;
  readonly kind: AlertKind;
  /** What explains most of the loss, in measure's word, and the share of the loss that it explains, 0 to 1. */
  readonly cause: string;
  readonly share: number | null;
  /** The share of the loss that each cause explains; null where none is known. */
  readonly causes: CauseShares | null;
  readonly slot: bigint;
  readonly slippagePct: BeforeAfter;
  readonly c10Sol: BeforeAfter;
  readonly depthSol: BeforeAfter;
  /** What the position would have paid before the fall; null where it could not be sold, or is not known. */
  readonly position: { readonly baseUnits: bigint; readonly paidLamports: bigint } | null;
  readonly sinceMs: number;
  readonly createdAtMs: number;
  readonly grade: Grade | null;
  /** The alert is of a slot that was not confirmed; absent: it was. */
  readonly commitment?: "processed";
  /** When its slot was dropped; absent: it was not. */
  readonly takenBackAtMs?: number;
};

export type NewUserAlert = Omit<UserAlert, "id" | "createdAtMs" | "grade" | "takenBackAtMs"> & {
  readonly dedupe: string;
};

/**
 * Inserts the alerts that were not recorded before, by their `dedupe`.
 *
 * @returns those that were inserted
 */
export async function insertUserAlerts(
  db: Kysely<Schema>,
  alerts: readonly NewUserAlert[],
  times: { readonly nowMs: number; readonly gradeAfterMs: number },
): Promise<readonly { readonly id: bigint; readonly userId: UserId; readonly mint: Address }[]> {
  const inserted: { id: bigint; userId: UserId; mint: Address }[] = [];
  for (const chunk of inChunks(alerts)) {
    const rows = await db
      .insertInto("user_alerts")
      .values(chunk.map((alert) => newAlertRow(alert, times)))
      .onConflict((conflict) => conflict.column("dedupe").doNothing())
      .returning(["id", "user_id", "mint"])
      .execute();
    inserted.push(...rows.map(({ id, user_id: userId, mint }) => ({ id, userId, mint })));
  }
  return inserted;
}

function newAlertRow(
  alert: NewUserAlert,
  { nowMs, gradeAfterMs }: { readonly nowMs: number; readonly gradeAfterMs: number },
) {
  return {
    dedupe: alert.dedupe,
    entry_id: alert.entryId,
    user_id: alert.userId,
    mint: alert.mint,
    token_name: alert.tokenName,
    token_symbol: alert.tokenSymbol,
    size_lamports: alert.sizeLamports,
    kind: alert.kind,
    cause: alert.cause,
    share: alert.share,
    slot: alert.slot,
    slippage_before_pct: alert.slippagePct.before,
    slippage_after_pct: alert.slippagePct.after,
    c10_before_sol: alert.c10Sol.before,
    c10_after_sol: alert.c10Sol.after,
    depth_before_sol: alert.depthSol.before,
    depth_after_sol: alert.depthSol.after,
    base_units: alert.position === null ? null : String(alert.position.baseUnits),
    paid_lamports: alert.position?.paidLamports ?? null,
    since_ms: BigInt(alert.sinceMs),
    created_at_ms: BigInt(nowMs),
    grade_due_ms: BigInt(nowMs + gradeAfterMs),
    graded_at_ms: null,
    was_worse: null,
    waited_cost_pct: null,
    commitment: alert.commitment ?? null,
    taken_back_at_ms: null,
    ...causeShareColumns(alert.causes),
  };
}

/** What a row of `user_alerts` says. */
export function toUserAlert(row: Selectable<UserAlertsTables["user_alerts"]>): UserAlert {
  return {
    id: row.id,
    entryId: row.entry_id,
    userId: row.user_id,
    mint: row.mint,
    tokenName: row.token_name,
    tokenSymbol: row.token_symbol,
    sizeLamports: row.size_lamports,
    kind: ALERT_KINDS.find((kind) => kind === row.kind) ?? "deterioration",
    cause: row.cause,
    share: row.share,
    causes: causeSharesOf(row),
    slot: row.slot,
    slippagePct: { before: row.slippage_before_pct, after: row.slippage_after_pct },
    c10Sol: { before: row.c10_before_sol, after: row.c10_after_sol },
    depthSol: { before: row.depth_before_sol, after: row.depth_after_sol },
    position:
      row.base_units === null || row.paid_lamports === null
        ? null
        : { baseUnits: BigInt(row.base_units), paidLamports: row.paid_lamports },
    sinceMs: Number(row.since_ms),
    createdAtMs: Number(row.created_at_ms),
    grade: gradeOf(row),
    ...(row.commitment === "processed" ? { commitment: row.commitment } : {}),
    ...(row.taken_back_at_ms === null ? {} : { takenBackAtMs: Number(row.taken_back_at_ms) }),
  };
}

/**
 * Takes back the alerts of a token from a slot on that were not of confirmed state: its change was
 * dropped. Messages whose sending has not begun leave them out, or are not sent. The same event, found
 * again in the slot that replaced the dropped one, is another alert.
 */
export async function takeBackAlerts(
  { db, dialect }: Store,
  since: { readonly mint: Address; readonly sinceSlot: bigint; readonly nowMs: number },
): Promise<void> {
  const { mint, sinceSlot, nowMs } = since;
  await db.transaction().execute(async (transaction) => {
    const taken = await transaction
      .updateTable("user_alerts")
      .set((eb) => ({
        taken_back_at_ms: BigInt(nowMs),
        grade_due_ms: null,
        dedupe: sql<string>`${eb.ref("dedupe")} || '/taken-back/' || cast(${eb.ref("id")} as text)`,
      }))
      .where("mint", "=", mint)
      .where("slot", ">=", sinceSlot)
      .where("commitment", "=", "processed")
      .where("taken_back_at_ms", "is", null)
      .returning("id")
      .execute();
    for (const ids of inChunks(taken.map(({ id }) => id)))
      await leaveOut({ db: transaction, dialect }, ids);
  });
}

/** Takes alerts out of the messages whose sending has not begun, and deletes those that are empty then. */
async function leaveOut({ db, dialect }: Store, alertIds: readonly bigint[]): Promise<void> {
  const open = db.selectFrom("messages").select("id").where("status", "=", "open");
  // Their channels first, as in every transaction on messages: the same lock order prevents deadlocks.
  if (dialect === "postgres") {
    const ofAlerts = open
      .innerJoin("message_alerts", "message_id", "messages.id")
      .clearSelect()
      .select("channel_id")
      .where("alert_id", "in", alertIds);
    await db
      .selectFrom("channels")
      .select("id")
      .where("id", "in", ofAlerts)
      .orderBy("id")
      .forShare()
      .execute();
  }
  const left = await db
    .deleteFrom("message_alerts")
    .where("alert_id", "in", alertIds)
    .where("message_id", "in", open)
    .returning("message_id")
    .execute();
  for (const messages of inChunks(left.map(({ message_id: id }) => id))) {
    await db
      .deleteFrom("messages")
      .where("id", "in", messages)
      .where("status", "=", "open")
      .where("id", "not in", db.selectFrom("message_alerts").select("message_id"))
      .execute();
  }
}

function gradeOf(row: Selectable<UserAlertsTables["user_alerts"]>): Grade | null {
  if (row.graded_at_ms === null || row.was_worse === null) return null;
  return {
    gradedAtMs: Number(row.graded_at_ms),
    wasWorse: row.was_worse !== 0n,
    waitedCostPct: row.waited_cost_pct,
  };
}

/** A page of the user's alerts, the newest first: those before `beforeId`, where one is given. */
export async function alertsOfUser(
  db: Kysely<Schema>,
  page: { readonly userId: UserId; readonly beforeId: bigint | null; readonly limit: number },
): Promise<readonly UserAlert[]> {
  let query = db.selectFrom("user_alerts").selectAll().where("user_id", "=", page.userId);
  if (page.beforeId !== null) query = query.where("id", "<", page.beforeId);
  const rows = await query.orderBy("id", "desc").limit(page.limit).execute();
  return rows.map(toUserAlert);
}

/** The user's alerts after one of them, the oldest first. */
export async function alertsOfUserSince(
  db: Kysely<Schema>,
  since: { readonly userId: UserId; readonly afterId: bigint; readonly limit: number },
): Promise<readonly UserAlert[]> {
  const rows = await db
    .selectFrom("user_alerts")
    .selectAll()
    .where("user_id", "=", since.userId)
    .where("id", ">", since.afterId)
    .orderBy("id")
    .limit(since.limit)
    .execute();
  return rows.map(toUserAlert);
}

/** The number of the newest alert, of one user or of all (null); 0 where there is none. */
export async function newestAlertId(db: Kysely<Schema>, userId: UserId | null): Promise<bigint> {
  const all = db.selectFrom("user_alerts").select((eb) => eb.fn.max("id").as("id"));
  const row = await (userId === null ? all : all.where("user_id", "=", userId)).executeTakeFirst();
  return row?.id ?? 0n;
}

/** Alerts whose grade is due, the longest due first. */
export async function alertsToGrade(
  db: Kysely<Schema>,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<readonly UserAlert[]> {
  const rows = await db
    .selectFrom("user_alerts")
    .selectAll()
    .where("grade_due_ms", "<=", BigInt(nowMs))
    .orderBy("grade_due_ms")
    .limit(limit)
    .execute();
  return rows.map(toUserAlert);
}

/** Tokens whose alerts are still to be graded. */
export async function mintsToGrade(db: Kysely<Schema>): Promise<readonly Address[]> {
  const rows = await db
    .selectFrom("user_alerts")
    .select("mint")
    .distinct()
    .where("grade_due_ms", "is not", null)
    .execute();
  return rows.map(({ mint }) => mint);
}

/** Writes down the grade; null: it can't be given any more. */
export async function gradeAlert(
  db: Kysely<Schema>,
  id: bigint,
  grade: Grade | null,
): Promise<void> {
  await db
    .updateTable("user_alerts")
    .set({
      grade_due_ms: null,
      graded_at_ms: grade === null ? null : BigInt(grade.gradedAtMs),
      was_worse: grade === null ? null : grade.wasWorse ? 1n : 0n,
      waited_cost_pct: grade?.waitedCostPct ?? null,
    })
    .where("id", "=", id)
    .execute();
}

export async function postponeGrade(
  db: Kysely<Schema>,
  id: bigint,
  untilMs: number,
): Promise<void> {
  await db
    .updateTable("user_alerts")
    .set({ grade_due_ms: BigInt(untilMs) })
    .where("id", "=", id)
    .execute();
}

export type GradeSum = {
  readonly kind: string;
  readonly alerts: number;
  readonly graded: number;
  readonly worse: number;
  /** Of those whose cost is known. */
  readonly meanWaitedCostPct: number | null;
};

/** How all alerts since a moment were graded, by kind: the operator's view. */
export async function sumGrades(db: Kysely<Schema>, sinceMs: number): Promise<readonly GradeSum[]> {
  const rows = await db
    .selectFrom("user_alerts")
    .select((eb) => [
      "kind",
      eb.fn.countAll<bigint>().as("alerts"),
      eb.fn.count<bigint>("was_worse").as("graded"),
      eb.fn.sum<bigint | string | null>("was_worse").as("worse"),
      eb.fn.avg<number | null>("waited_cost_pct").as("cost"),
    ])
    .where("created_at_ms", ">=", BigInt(sinceMs))
    .groupBy("kind")
    .orderBy("kind")
    .execute();
  return rows.map((row) => ({
    kind: row.kind,
    alerts: Number(row.alerts),
    graded: Number(row.graded),
    worse: Number(row.worse ?? 0),
    meanWaitedCostPct: row.cost,
  }));
}

/** Deletes what is older than the feed shows. */
export async function deleteAlertsBefore(db: Kysely<Schema>, ms: number): Promise<void> {
  await db.deleteFrom("user_alerts").where("created_at_ms", "<", BigInt(ms)).execute();
}
