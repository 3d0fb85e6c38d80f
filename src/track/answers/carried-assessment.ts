import type { Assessment } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import type { Finding } from "#src/measure/confidence/finding.ts";
import { isTrendUnknown, withShortHistory } from "#src/measure/confidence/findings.ts";
import { isWithin } from "#src/platform/clock.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import { hopsOf } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState, SharedFacts } from "../following/live-state.ts";
import { timeOfSlotMs } from "../following/slot-times.ts";
import { stateSlot } from "../following/state-slot.ts";
import type { AssessDeps } from "./assess-token.ts";

/** Shares of exact replays are at most this old. */
const FACTS_EVERY_MS = 500;
const NO_VENUES: ReadonlySet<VenueId> = new Set();

/** The chain's clock, which notes whether anything was computed from its time. */
export class NotedClock implements Clock {
  readonly epoch: bigint;
  readonly #clock: Clock;
  #isTimeUsed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.epoch = clock.epoch;
  }

  get slot(): bigint {
    this.#isTimeUsed = true;
    return this.#clock.slot;
  }

  get unixTimestamp(): bigint {
    this.#isTimeUsed = true;
    return this.#clock.unixTimestamp;
  }

  /** Whether slot or time was read. If not, a later clock of the epoch gives the same result. */
  get isTimeUsed(): boolean {
    return this.#isTimeUsed;
  }
}

/** The facts that measurements use now, read again twice a second. */
export function sharedFacts(
  state: LiveState,
  { exactPctByVenue, newDeployments }: AssessDeps,
  { epoch, nowMs }: { readonly epoch: bigint; readonly nowMs: number },
): SharedFacts {
  const held = state.sharedFacts;
  const isHeld = held !== null && isWithin(FACTS_EVERY_MS, held.readAtMs, nowMs);
  if (isHeld && held.key.startsWith(`${epoch} `)) return held;
  const facts = {
    readAtMs: nowMs,
    exactPctByVenue: exactPctByVenue(),
    newDeployments: newDeployments?.() ?? NO_VENUES,
  };
  const low = [...facts.exactPctByVenue].filter(
    ([, exactPct]) => exactPct < CALIBRATION.confidence.liveCheckExactPct,
  );
  const key = `${epoch} ${low.join(" ")} ${[...facts.newDeployments].join(" ")}`;
  // The held key is kept where it is equal: tokens refer to it.
  state.sharedFacts = { ...facts, key: key === held?.key ? held.key : key };
  return state.sharedFacts;
}

/**
 * The key of the facts under which the assessment can be carried on; null: the next one has to be measured,
 * because the time, or another thing than accounts, decided it.
 */
export function carriedKey(
  assessment: Assessment,
  clock: NotedClock,
  { key }: SharedFacts,
): string | null {
  if (clock.isTimeUsed || assessment.blocked === "stale") return null;
  const isOfTime = assessment.findings.some(({ kind }) => kind === "stale" || kind === "executed");
  return isOfTime ? null : key;
}

/**
 * The token's last assessment at the newest slot, where measuring again would give the same: no account of it
 * changed, none of its figures depends on the time, and it is as certain as before. Null: it has to be measured.
 * A quiet token is read a hundred times as often as it changes, and measuring takes fifty times as long.
 */
export function carriedAssessment(
  state: LiveState,
  token: FollowedToken,
  deps: AssessDeps,
  nowMs: number,
): Assessment | null {
  const { assessed } = token;
  const clock = state.times.newest;
  if (assessed === null || assessed.carriedUnder === null || clock === null) return null;
  if (deps.isFrozen || deps.executed?.concerns(token) === true) return null;
  if (hopsOf(state, token).length > 0) return null;
  const { epoch } = clock;
  if (sharedFacts(state, deps, { epoch, nowMs }).key !== assessed.carriedUnder) return null;
  const slot = stateSlot(state, token);
  const stateTimeMs = slot === null ? null : timeOfSlotMs(state.times, slot);
  if (slot === null || stateTimeMs === null) return null;
  if ((nowMs - stateTimeMs) / 1_000 > CALIBRATION.confidence.ageMediumSeconds) return null;
  const { assessment } = assessed;
  const historySeconds = deps.historySeconds(token);
  const isShort = isShortNow(historySeconds);
  if (isShort !== isTrendUnknown(assessment)) return null;
  if (slot === assessment.slot && stateTimeMs === assessment.stateTimeMs) return assessment;
  const findings = isShort
    ? assessment.findings.map((it) => (isShortHistory(it) ? { ...it, historySeconds } : it))
    : assessment.findings;
  return { ...assessment, findings, slot, stateTimeMs };
}

/**
 * The assessment with the finding that the trend is not known, where adding it to the series made the history too
 * short: it changed the basis of the trend, or ended a gap.
 */
export function withLostTrend(
  token: FollowedToken,
  assessment: Assessment,
  deps: Pick<AssessDeps, "historySeconds">,
): Assessment {
  const historySeconds = deps.historySeconds(token);
  if (isTrendUnknown(assessment) || !isShortNow(historySeconds)) return assessment;
  return { ...assessment, findings: withShortHistory(assessment.findings, historySeconds) };
}

function isShortNow(historySeconds: number | null): boolean {
  return historySeconds === null || historySeconds < CALIBRATION.confidence.leastHistorySeconds;
}

function isShortHistory({ kind }: Finding): boolean {
  return kind === "short-history";
}
