import type { Market } from "#src/measure/market/market.ts";
import { exitOfBaseUnits, type UnsellableReason } from "#src/measure/questions/exit-at.ts";
import { capacityOfAssessment } from "#src/measure/series/capacity-series.ts";
import { MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import { deleteMessagesBefore } from "#src/store/deliveries.ts";
import type { Store } from "#src/store/schema.ts";
import {
  alertsToGrade,
  deleteAlertsBefore,
  type Grade,
  gradeAlert,
  postponeGrade,
  type UserAlert,
} from "#src/store/user-alerts.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Tracker } from "#src/track/tracker.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { readMarket } from "./rules/market-reading.ts";
import { SLIPPAGE_ALERT } from "./rules/slippage-rule.ts";

const POLL_EVERY_MS = 15_000;
const ALERTS_PER_RUN = 100;
const RETRY_MS = 60_000;
/** An alert whose market stays unknown for this long is not graded. */
const GIVE_UP_AFTER_MS = 4 * 3_600_000;
/** C10 at this share of its level before the fall is a recovery, as for the token's own alert. */
const RECOVERED_SHARE = 0.8;
const KEEP_MESSAGES_MS = 30 * MS_PER_DAY;
const KEEP_ALERTS_MS = 180 * MS_PER_DAY;

/**
 * Whether the exit is still worse, and what waiting would have cost; null if the market is unknown
 * now. Worse means that C10 is below 80 % of its level before the fall or, for an alert at the
 * entry's size, that its slippage is not back below 8 %.
 */
function gradeOf(
  alert: UserAlert,
  { assessment }: Pick<AssessedSnapshot, "assessment">,
  market: Market | null,
  nowMs: number,
): Grade | null {
  const wasWorse =
    alert.kind === "deterioration" && alert.c10Sol.before !== null
      ? isCapacityGone(alert.c10Sol.before, capacityOfAssessment(assessment))
      : isSlippageHigh(alert, assessment, market);
  if (wasWorse === null) return null;
  return { gradedAtMs: nowMs, wasWorse, waitedCostPct: waitedCostPct(alert, market) };
}

function isCapacityGone(beforeSol: number, nowSol: number | null): boolean | null {
  return nowSol === null ? null : nowSol < RECOVERED_SHARE * beforeSol;
}

function isSlippageHigh(
  { sizeLamports }: UserAlert,
  assessment: AssessedSnapshot["assessment"],
  market: Market | null,
): boolean | null {
  const { bySize } = readMarket(assessment, market, [sizeLamports]);
  const reading = bySize.get(sizeLamports);
  if (reading?.kind !== "known") return null;
  return reading.slippagePct === null || reading.slippagePct >= SLIPPAGE_ALERT.offBelowPct;
}

/** Percent of what the same position paid at the alert, two decimals; negative if waiting paid more. */
function waitedCostPct({ position }: UserAlert, market: Market | null): number | null {
  if (position === null || market === null || position.paidLamports <= 0n) return null;
  const exit = exitOfBaseUnits(market, position.baseUnits, "retail");
  if (exit.kind === "unsellable") return isUnknown(exit.reason) ? null : 100;
  const lost = 100 * (1 - ratioToNumber(exit.paidLamports, position.paidLamports));
  return Math.round(lost * 100) / 100;
}

/** Whether the position may be sold all the same: nothing is known, or its size is not answered. */
function isUnknown(reason: UnsellableReason): boolean {
  return reason === "blocked" || reason === "size-not-allowed";
}

export type GradingDeps = {
  readonly store: Store;
  readonly markets: Pick<Tracker, "latest" | "market">;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

/** Grades every alert half an hour after it was recorded, and deletes old messages and alerts. */
export class Grading {
  readonly #deps: GradingDeps;
  readonly #poller: Poller<number>;
  #deletedAtMs = 0;

  constructor(deps: GradingDeps) {
    this.#deps = deps;
    const next = "retrying every 15 s";
    this.#poller = new Poller({
      run: () => this.#run(),
      everyMs: POLL_EVERY_MS,
      failures: new FailureLog({ log: deps.log, what: "grade alerts", next }),
    });
  }

  start(): void {
    this.#poller.start();
  }

  /** Grades what is due. @returns the number of alerts that were due */
  runDue(): Promise<number> {
    return this.#poller.runNow();
  }

  close(): Promise<void> {
    return this.#poller.close();
  }

  async #run(): Promise<number> {
    const { store, clock } = this.#deps;
    const due = await alertsToGrade(store.db, { nowMs: clock.nowMs(), limit: ALERTS_PER_RUN });
    for (const alert of due) await this.#grade(alert);
    await this.#deleteOld(clock.nowMs());
    return due.length;
  }

  async #grade(alert: UserAlert): Promise<void> {
    const { store, markets, clock } = this.#deps;
    const snapshot = markets.latest(alert.mint);
    const grade =
      snapshot?.kind === "assessed"
        ? gradeOf(alert, snapshot, markets.market(alert.mint), clock.nowMs())
        : null;
    if (grade !== null || clock.nowMs() - alert.createdAtMs > GIVE_UP_AFTER_MS)
      await gradeAlert(store.db, alert.id, grade);
    else await postponeGrade(store.db, alert.id, clock.nowMs() + RETRY_MS);
  }

  async #deleteOld(nowMs: number): Promise<void> {
    if (nowMs - this.#deletedAtMs < 3_600_000) return;
    this.#deletedAtMs = nowMs;
    await deleteMessagesBefore(this.#deps.store.db, nowMs - KEEP_MESSAGES_MS);
    await deleteAlertsBefore(this.#deps.store.db, nowMs - KEEP_ALERTS_MS);
  }
}
