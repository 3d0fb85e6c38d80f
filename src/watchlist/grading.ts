import type { BaseLogger } from "pino";
import { capacityOfAssessment } from "#src/measure/capacity-series.ts";
import { exitOfBaseUnits } from "#src/measure/exit-at.ts";
import type { Market } from "#src/measure/market.ts";
import type { NowMs } from "#src/platform/clock.ts";
import { forgetMessagesBefore } from "#src/store/deliveries.ts";
import type { Store } from "#src/store/schema.ts";
import {
  alertsToGrade,
  forgetAlertsBefore,
  type Grade,
  gradeAlert,
  postponeGrade,
  type UserAlert,
} from "#src/store/user-alerts.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Tracker } from "#src/track/tracker.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { readMarket } from "./market-reading.ts";
import { SLIPPAGE_ALERT } from "./slippage-rule.ts";

const LOOK_EVERY_MS = 15_000;
const AT_ONCE = 100;
const TRY_AGAIN_MS = 60_000;
/** A market that says nothing for this long after the alert leaves it without a grade. */
const GIVE_UP_AFTER_MS = 4 * 3_600_000;
/** C10 back at this share of its level is a recovery, as it is for the token's own alert. */
const RECOVERED_SHARE = 0.8;
const KEEP_MESSAGES_MS = 30 * 86_400_000;
const KEEP_ALERTS_MS = 180 * 86_400_000;

/**
 * Whether the exit is really worse by now, and what it would have cost to wait; null where the market
 * says nothing at this moment. Worse is: C10 is below 80 % of its level before the fall; or, for an
 * alert at the entry's size, its slippage has not come back below 8 %.
 */
export function gradeOf(
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
  const { bySize } = readMarket(assessment, [sizeLamports], () => market);
  const reading = bySize.get(sizeLamports);
  if (reading?.kind !== "known") return null;
  return reading.slippagePct === null || reading.slippagePct >= SLIPPAGE_ALERT.offBelowPct;
}

/** Percent of what the same position paid at the alert, two decimals; negative: waiting paid. */
function waitedCostPct({ position }: UserAlert, market: Market | null): number | null {
  if (position === null || market === null || position.paidLamports <= 0n) return null;
  const exit = exitOfBaseUnits(market, position.baseUnits, "retail");
  if (exit.kind === "unsellable") return exit.reason === "blocked" ? null : 100;
  const lost = 100 * (1 - ratioToNumber(exit.paidLamports, position.paidLamports));
  return Math.round(lost * 100) / 100;
}

export type GradingDeps = {
  readonly store: Store;
  readonly markets: Pick<Tracker, "latest" | "market">;
  readonly nowMs: NowMs;
  readonly log: Pick<BaseLogger, "warn">;
};

/** The ledger: every alert is looked at again half an hour later, and how it came out is kept. */
export class Grading {
  readonly #deps: GradingDeps;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<number> | null = null;
  #tidiedAtMs = 0;

  constructor(deps: GradingDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.runDue().catch((err: unknown) =>
        this.#deps.log.warn({ err }, "alerts could not be graded"),
      );
    }, LOOK_EVERY_MS).unref();
  }

  /** Grades what is due. @returns how many alerts it looked at */
  runDue(): Promise<number> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running?.catch(() => undefined);
  }

  async #run(): Promise<number> {
    const { store, nowMs } = this.#deps;
    const due = await alertsToGrade(store.db, { nowMs: nowMs(), limit: AT_ONCE });
    for (const alert of due) await this.#grade(alert);
    await this.#tidyUp(nowMs());
    return due.length;
  }

  async #grade(alert: UserAlert): Promise<void> {
    const { store, markets, nowMs } = this.#deps;
    const snapshot = markets.latest(alert.mint);
    const grade =
      snapshot?.kind === "assessed"
        ? gradeOf(alert, snapshot, markets.market(alert.mint), nowMs())
        : null;
    if (grade !== null || nowMs() - alert.createdAtMs > GIVE_UP_AFTER_MS)
      await gradeAlert(store.db, alert.id, grade);
    else await postponeGrade(store.db, alert.id, nowMs() + TRY_AGAIN_MS);
  }

  async #tidyUp(nowMs: number): Promise<void> {
    if (nowMs - this.#tidiedAtMs < 3_600_000) return;
    this.#tidiedAtMs = nowMs;
    await forgetMessagesBefore(this.#deps.store.db, nowMs - KEEP_MESSAGES_MS);
    await forgetAlertsBefore(this.#deps.store.db, nowMs - KEEP_ALERTS_MS);
  }
}
