import type { Kysely } from "kysely";
import type { Address } from "#src/units/address.ts";
import { enqueueAlerts, type MessageTimes } from "./deliveries.ts";
import type { Schema, Store } from "./schema.ts";
import { type BeforeAfter, type NewUserAlert, newAlertRow } from "./user-alerts.ts";

export type RecordTimes = MessageTimes & { readonly gradeAfterMs: number };

/**
 * Records alerts and, in the same transaction, what is to be sent of them: either both are on disk
 * or neither. Recorded is what has not been before, and of slippage alerts what found its entry
 * below the threshold, which it then is not any more.
 *
 * @returns the ids of what was recorded now
 */
export async function recordUserAlerts(
  { db, dialect }: Store,
  alerts: readonly NewUserAlert[],
  times: RecordTimes,
): Promise<readonly bigint[]> {
  return db.transaction().execute(async (transaction) => {
    const allowed = await allowedEntries(transaction, alerts);
    const due = oneAnEvent(
      alerts.filter((alert) => allowed.has(`${alert.entryId} ${isSlippage(alert)}`)),
    );
    if (due.length === 0) return [];
    const recorded = await transaction
      .insertInto("user_alerts")
      .values(due.map((alert) => newAlertRow(alert, times)))
      .onConflict((conflict) => conflict.column("dedupe").doNothing())
      .returning(["id", "user_id", "mint"])
      .execute();
    const queued = recorded.map(({ id, user_id: userId, mint }) => ({ id, userId, mint }));
    await enqueueAlerts({ db: transaction, dialect }, queued, times);
    return recorded.map(({ id }) => id);
  });
}

/**
 * What an entry's slippage and its token's alert say of one slot is one event, told once: as the
 * deterioration, which knows its cause and beginning, or where the exit is gone as that.
 */
function oneAnEvent(alerts: readonly NewUserAlert[]): readonly NewUserAlert[] {
  const nameOf = ({ entryId, slot }: NewUserAlert) => `${entryId} ${slot}`;
  const crossings = new Map(alerts.filter(isSlippage).map((alert) => [nameOf(alert), alert]));
  const told = new Set<string>();
  const events = alerts.flatMap((alert) => {
    const crossing = crossings.get(nameOf(alert));
    if (isSlippage(alert) || crossing === undefined) return [alert];
    told.add(nameOf(alert));
    return [{ ...alert, kind: crossing.kind === "no-exit" ? crossing.kind : alert.kind }];
  });
  return events.filter(
    (alert) => alert !== crossings.get(nameOf(alert)) || !told.has(nameOf(alert)),
  );
}

/** Entries that still want an alert; slippage alerts take theirs from below to above. */
async function allowedEntries(
  transaction: Kysely<Schema>,
  alerts: readonly NewUserAlert[],
): Promise<ReadonlySet<string>> {
  const idsOf = (isWanted: boolean) =>
    alerts.filter((alert) => isSlippage(alert) === isWanted).map(({ entryId }) => entryId);
  const allowed = new Set<string>();
  const crossing = idsOf(true);
  if (crossing.length > 0) {
    const rows = await transaction
      .updateTable("watchlist_entries")
      .set({ slippage_is_high: 1n })
      .where("id", "in", crossing)
      .where("slippage_is_high", "=", 0n)
      .where("alerts_enabled", "=", 1n)
      .returning("id")
      .execute();
    for (const { id } of rows) allowed.add(`${id} true`);
  }
  const deteriorating = idsOf(false);
  if (deteriorating.length > 0) {
    const rows = await transaction
      .selectFrom("watchlist_entries")
      .select("id")
      .where("id", "in", deteriorating)
      .where("alerts_enabled", "=", 1n)
      .execute();
    for (const { id } of rows) allowed.add(`${id} false`);
  }
  return allowed;
}

function isSlippage({ kind }: NewUserAlert): boolean {
  return kind !== "deterioration";
}

/** A token's alert that is on and has no users' alerts of its own yet. */
export type MissedDeterioration = {
  readonly mint: Address;
  readonly detector: string;
  readonly cause: string;
  readonly share: number | null;
  readonly slot: bigint;
  readonly startedAtMs: number;
  readonly c10Sol: BeforeAfter;
  readonly depthSol: BeforeAfter;
};

/**
 * Alerts of watched tokens that turned on since `sinceMs` and are on still: for the start of a
 * process whose predecessor may have died between the token's record and the users'.
 */
export async function openDeteriorations(
  db: Kysely<Schema>,
  sinceMs: number,
): Promise<readonly MissedDeterioration[]> {
  const rows = await db
    .selectFrom("alerts")
    .innerJoin("tokens", "tokens.id", "alerts.token_id")
    .selectAll("alerts")
    .select("tokens.mint")
    .where("ended_at_ms", "is", null)
    .where("started_at_ms", ">=", BigInt(sinceMs))
    .where("tokens.mint", "in", (eb) => eb.selectFrom("watchlist_entries").select("mint"))
    .execute();
  return rows.map((row) => ({
    mint: row.mint,
    detector: row.detector,
    cause: row.cause,
    share: row.share,
    slot: row.slot,
    startedAtMs: Number(row.started_at_ms),
    c10Sol: { before: row.c10_before, after: row.c10_after },
    depthSol: { before: row.depth_before, after: row.depth_after },
  }));
}
