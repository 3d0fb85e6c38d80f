import type { Kysely } from "kysely";
import { endAlerts, recordAlert } from "#src/store/alerts.ts";
import { deliveryTargets, insertMessages, queuedMessages } from "#src/store/deliveries.ts";
import type { Schema, Store } from "#src/store/schema.ts";
import { insertUserAlerts, type NewUserAlert } from "#src/store/user-alerts.ts";
import {
  entriesWithAlerts,
  noteBlocksReported,
  raiseSlippageSides,
  type SeenSide,
  setSeenSides,
} from "#src/store/watchlist.ts";
import type { AlertChange } from "#src/track/market-report.ts";
import { PLAN_WINDOW_MS, planMessages, type QueuedAlert } from "./delivery/plan.ts";
import { type FoundAlert, isOfBlock, type RuleFinding } from "./rules/token-rules.ts";

const GRADE_AFTER_MS = 30 * 60_000;

export type RecordOptions = {
  /** Sides that were seen before the findings. */
  readonly sides: readonly SeenSide[];
  readonly nowMs: number;
  /** When the first of them was found: their messages wait from then on. */
  readonly foundAtMs: number;
  readonly newUid: () => string;
  /** Called before the commit, where an alert is recorded. */
  readonly onRecording: () => void;
};

/**
 * Writes the sides, the changes of tokens' alerts, the alerts of their watchers and the messages to send, in one
 * transaction: all of it is on disk or nothing. An alert that was recorded before is skipped, so that
 * a write whose outcome is unknown can be repeated.
 *
 * @returns the ids of the users' alerts that were recorded now
 */
export async function recordFindings(
  { db, dialect }: Store,
  findings: readonly (RuleFinding & { readonly kind: "alerts" })[],
  { sides, nowMs, foundAtMs, newUid, onRecording }: RecordOptions,
): Promise<readonly bigint[]> {
  return db.transaction().execute(async (transaction) => {
    const store = { db: transaction, dialect };
    await setSeenSides(transaction, sides);
    for (const change of findings.flatMap(({ alertChanges }) => alertChanges))
      await recordChange(transaction, change);
    const found = findings.flatMap((finding) => finding.found);
    const wanted = await wantedAlerts(transaction, found);
    const times = { nowMs, gradeAfterMs: GRADE_AFTER_MS };
    const recorded = await insertUserAlerts(transaction, wanted, times);
    await enqueue(store, recorded, { nowMs, foundAtMs, newUid });
    if (recorded.length > 0) onRecording();
    return recorded.map(({ id }) => id);
  });
}

async function recordChange(db: Kysely<Schema>, change: AlertChange): Promise<void> {
  const { mint, deterioration, slot } = change;
  if (change.kind === "off") {
    await endAlerts(db, { mint, endedAtMs: change.atMs });
    return;
  }
  await recordAlert(db, {
    mint,
    detector: deterioration.detector,
    cause: deterioration.cause?.kind ?? "unknown",
    share: deterioration.cause?.share ?? null,
    causes: deterioration.cause === null ? null : deterioration.causes,
    slot,
    startedAtMs: deterioration.sinceMs,
    before: { c10Sol: deterioration.levelSol, depthSol: change.depthBeforeSol },
    after: { c10Sol: deterioration.c10Sol, depthSol: change.depthAfterSol },
  });
}

/**
 * The alerts whose entries still want them. A crossing moves its entry to the high side; it counts
 * only if the entry was on the low side. A block counts only if it was not reported for the entry.
 */
async function wantedAlerts(
  db: Kysely<Schema>,
  found: readonly FoundAlert[],
): Promise<readonly NewUserAlert[]> {
  const idsOf = (some: readonly FoundAlert[]) => some.map(({ alert }) => alert.entryId);
  const crossed = await raiseSlippageSides(db, idsOf(found.filter((each) => each.isCrossing)));
  const enabled = await entriesWithAlerts(db, idsOf(found.filter((each) => each.isOfToken)));
  const blocked = await noteBlocksReported(db, idsOf(found.filter(isOfBlock)));
  return found
    .filter((each) => {
      const wanted = isOfBlock(each) ? blocked : each.isOfToken ? enabled : crossed;
      return wanted.has(each.alert.entryId);
    })
    .map(({ alert }) => alert);
}

/** Plans and stores the messages on every verified and enabled channel of the users. */
async function enqueue(
  store: Store,
  alerts: readonly QueuedAlert[],
  { nowMs, foundAtMs, newUid }: Pick<RecordOptions, "nowMs" | "foundAtMs" | "newUid">,
): Promise<void> {
  const users = [...new Set(alerts.map(({ userId }) => userId))];
  const targets = await deliveryTargets(store, users);
  const channels = targets.map(({ channelId }) => channelId);
  const queued = await queuedMessages(store, channels, nowMs - PLAN_WINDOW_MS);
  const times = { nowMs, foundAtMs, newUid };
  await insertMessages(store.db, planMessages(alerts, { targets, queued }, times));
}
