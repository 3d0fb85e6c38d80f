import type { Assessment } from "#src/measure/assessment.ts";
import { isTrendUnknown } from "#src/measure/confidence/findings.ts";
import { pricedPart } from "#src/measure/series/capacity-series.ts";
import type { Deterioration } from "#src/measure/series/deterioration.ts";
import type { Address } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import { groupsOf, hopsOf } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";
import { isActive } from "../following/schedule.ts";
import { chainTimeMs } from "../following/slot-times.ts";
import { CHANGE_AFTER_SLOT, keepRecord, writeRecords } from "../following/unconfirmed.ts";
import type { TokenArchive } from "../history/archive.ts";
import { depthSolOf } from "../history/sample.ts";
import {
  isInGap,
  isSampleDue,
  keptLevels,
  observe,
  restoreAlert,
  restoreLevels,
  type TokenSeries,
} from "../history/series.ts";
import type { AlertChange, MarketReport } from "../market-report.ts";
import type { AssessedSnapshot } from "../snapshot-text.ts";
import { isUnchanged } from "./assess-token.ts";

const YOUNG_MS = 60_000;
/** C10 of an assessment, as a share of an alert's level, from which its depth counts as that before the fall. */
const SAME_LEVEL = 0.9;

export type ObserverDeps = {
  readonly state: LiveState;
  /** Null: nothing is kept beyond this process. */
  readonly archive: TokenArchive | null;
};

/** Turns assessments into the series of each token: samples, trend and changes of its alert. */
export class TokenObserver {
  readonly #deps: ObserverDeps;

  constructor(deps: ObserverDeps) {
    this.#deps = deps;
  }

  /** Begins the record of a token that was just loaded. */
  async open(token: FollowedToken): Promise<void> {
    const opened = await this.#deps.archive?.open(token.mint, token.names);
    if (opened === undefined) return;
    // It may have been dropped meanwhile.
    if (!this.#deps.state.tokens.has(token.mint)) await this.#deps.archive?.close(token.mint);
    if (opened.kept !== null && isYoung(token.series)) restoreLevels(token.series, opened.kept);
    if (opened.openAlert !== null) restoreAlert(token.series, opened.openAlert);
  }

  /** Notes an answer that is given from now on. */
  give(token: FollowedToken, snapshot: AssessedSnapshot): void {
    const { archive } = this.#deps;
    if (archive === null) return;
    this.#record(token, snapshot.assessment.slot, () => archive.give(token.mint, snapshot));
  }

  /** Writes the records whose slots are confirmed by now. */
  settle(): void {
    const { unconfirmed } = this.#deps.state;
    if (unconfirmed !== null) writeRecords(unconfirmed);
  }

  /** If slots may be dropped, the record waits until the slots of its assessment are confirmed. */
  #record(token: FollowedToken, slot: bigint, write: () => void): void {
    const { unconfirmed } = this.#deps.state;
    if (unconfirmed === null) {
      write();
      return;
    }
    // One pool may be decoded at a newer slot than the assessment claims, which follows the oldest one.
    const changedSlot = newestChange(this.#deps.state, token) - CHANGE_AFTER_SLOT;
    keepRecord(unconfirmed, { token, slot: maxBigint(slot, changedSlot), write });
  }

  /**
   * Whether the token is due for its sample of these ten seconds. A quiet token's would be the same as its
   * last one: of these, only what keeps the record on disk continuous is taken.
   */
  isDue(token: FollowedToken, nowMs: number): boolean {
    const { state, archive } = this.#deps;
    if (!isSampleDue(token.series, nowMs)) return false;
    if (isActive(token, nowMs) || !isInGap(token.series) || !isUnchanged(state, token)) return true;
    return archive?.isSampleDue(token.mint, nowMs) ?? false;
  }

  /**
   * Adds the token's newest assessment to its series: on every change, and every ten seconds.
   *
   * @returns the change of the token's alert, which alerts/ records; null: there is none
   */
  observe(token: FollowedToken, assessment: Assessment, nowMs: number): AlertChange | null {
    const { state, archive } = this.#deps;
    const { series } = token;
    const before = series.last;
    const { sample, change } = observe(series, {
      assessment,
      nowMs,
      chainMs: chainTimeMs(state.times, nowMs),
      isClosed: (pool) => state.known.get(pool) === null,
      isRead: (pool) => isReadHop(state, token, pool),
      isUnread: (pool) => token.group.pools.get(pool)?.isLoaded === false,
    });
    if (sample !== null && archive !== null) {
      const kept = isActive(token, nowMs)
        ? { snapshot: snapshotOf(token, assessment), levels: keptLevels(series) }
        : null;
      this.#record(token, assessment.slot, () => archive.add(token.mint, sample, kept));
    }
    if (change === null) return null;
    return {
      kind: change.kind,
      mint: token.mint,
      deterioration: change.deterioration,
      slot: assessment.slot,
      atMs: series.deterioration.timeMs,
      depthBeforeSol: isOfLevel(before, change.deterioration) ? depthSolOf(before) : null,
      depthAfterSol: depthSolOf(assessment),
    };
  }

  /** What a dropped slot had brought for the token, with the end of its alert; null: nothing. */
  takeBack(
    token: FollowedToken,
    assessment: Assessment,
    nowMs: number,
  ): Required<Pick<MarketReport, "alertChange" | "takenBackSince">> | null {
    const { unconfirmed, times } = this.#deps.state;
    const takenBack = unconfirmed?.takenBack.get(token);
    if (takenBack === undefined) return null;
    unconfirmed?.takenBack.delete(token);
    const takenBackSince = takenBack.slot - CHANGE_AFTER_SLOT;
    const { alert: deterioration } = takenBack;
    if (deterioration === null) return { alertChange: null, takenBackSince };
    const depth = depthSolOf(assessment);
    const alertChange: AlertChange = {
      ...{ kind: "off", mint: token.mint, deterioration, slot: assessment.slot },
      ...{ atMs: chainTimeMs(times, nowMs), depthBeforeSol: depth, depthAfterSol: depth },
    };
    return { alertChange, takenBackSince };
  }
}

/** The answer that an assessment of the token makes, with what is known of its past. */
export function snapshotOf(
  { series, names }: Pick<FollowedToken, "series" | "names">,
  assessment: Assessment,
): AssessedSnapshot {
  return {
    kind: "assessed",
    assessment,
    // After a gap the series still has the trend of before, while aviso says that it is not known yet.
    trend: isTrendUnknown(assessment) ? "stable" : series.trend,
    isDeteriorating: series.deterioration.alert !== null,
    name: names.name,
    symbol: names.symbol,
  };
}

/** Whether a pool of the token's hops is followed, loaded and understood. */
function isReadHop(state: LiveState, token: FollowedToken, address: Address): boolean {
  return hopsOf(state, token).some(({ pools }) => {
    const pool = pools.get(address);
    return pool?.isLoaded === true && pool.open.decoded.kind !== "unusable";
  });
}

function newestChange(state: LiveState, token: FollowedToken): bigint {
  let newest = 0n;
  for (const { pools } of groupsOf(state, token))
    for (const { changedSlot } of pools.values()) newest = maxBigint(newest, changedSlot);
  return newest;
}

/** Whether a series has hardly begun: what an earlier process kept then replaces it. */
function isYoung({ deterioration: { bornMs, timeMs } }: TokenSeries): boolean {
  return Number.isNaN(bornMs) || timeMs - bornMs < YOUNG_MS;
}

/**
 * Whether the assessment before an alert is of the level that the alert compares with. After a fall in
 * steps it is of the last step: its depth would be given with a capacity of minutes earlier.
 */
function isOfLevel(before: Assessment | null, { levelSol }: Deterioration): boolean {
  const c10Sol = before === null ? null : (pricedPart(before)?.c10Sol ?? null);
  return c10Sol !== null && c10Sol >= SAME_LEVEL * levelSol;
}
