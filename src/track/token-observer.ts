import type { Assessment } from "#src/measure/assessment.ts";
import type { DeteriorationChange } from "#src/measure/deterioration.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import { isLookedAt } from "./schedule.ts";
import type { AssessedSnapshot } from "./snapshot-text.ts";
import type { AlertRecord, TokenArchive } from "./token-archive.ts";
import { observe, withOpenAlert } from "./token-series.ts";

/** An alert of a token that turned on or off. */
export type AlertEvent = AlertRecord & { readonly kind: "on" | "off" };

export type ObserverDeps = {
  readonly state: LiveState;
  /** Null: nothing is kept beyond this process. */
  readonly archive: TokenArchive | null;
  readonly inBackground: (what: string, work: Promise<unknown>) => void;
  readonly onAlert: (event: AlertEvent) => void;
};

/** Turns assessments into the series of each token: samples, trend and alerts, here and on disk. */
export class TokenObserver {
  readonly #deps: ObserverDeps;

  constructor(deps: ObserverDeps) {
    this.#deps = deps;
  }

  /** Begins the record of a token that was just loaded. */
  async open(token: FollowedToken): Promise<void> {
    const openAlert = await this.#deps.archive?.open(token.mint, token.names);
    if (openAlert) token.series = withOpenAlert(token.series, openAlert);
  }

  /** Takes in the token's newest assessment: on every change, and every ten seconds. */
  observe(token: FollowedToken, assessment: Assessment, nowMs: number): void {
    const { state, archive } = this.#deps;
    const before = token.series.last;
    const { series, sample, change } = observe(token.series, {
      assessment,
      nowMs,
      isClosed: (pool) => state.known.get(pool) === null,
    });
    token.series = series;
    if (change !== null) this.#raise(token, { before, after: assessment, change });
    if (sample === null || archive === null) return;
    archive.add(
      token.mint,
      sample,
      isLookedAt(token, nowMs) ? snapshotOf(token, assessment) : null,
    );
  }

  #raise(
    token: FollowedToken,
    raised: {
      readonly before: Assessment | null;
      readonly after: Assessment;
      readonly change: DeteriorationChange;
    },
  ): void {
    const { archive, inBackground, onAlert } = this.#deps;
    const { before, after, change } = raised;
    const record: AlertRecord = {
      mint: token.mint,
      deterioration: change.deterioration,
      slot: after.slot,
      depthBeforeSol: depthSol(before),
      depthAfterSol: depthSol(after),
    };
    if (archive !== null) {
      const kept =
        change.kind === "on" ? archive.recordAlert(record) : archive.endAlert(token.mint);
      inBackground("record an alert", kept);
    }
    onAlert({ ...record, kind: change.kind });
  }
}

/** The answer that an assessment of the token makes, with what is known of its past. */
export function snapshotOf(token: FollowedToken, assessment: Assessment): AssessedSnapshot {
  const { series, names } = token;
  return {
    kind: "assessed",
    assessment,
    trend: series.trend,
    isDeteriorating: series.deterioration.alert !== null,
    ...names,
  };
}

function depthSol(assessment: Assessment | null): number | null {
  const lamports = assessment?.measurement?.depthLamports;
  return lamports === undefined ? null : ratioToNumber(lamports, LAMPORTS_PER_SOL);
}
