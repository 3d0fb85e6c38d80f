import { isWithin } from "#src/platform/clock.ts";
import type { FollowedToken } from "./live-state.ts";

/** A measurement that takes longer is costly. */
const COSTLY_MS = 50;
/** A costly token rests for so many times what its measurement took: it has a tenth of the thread. */
const REST_FACTOR = 9;
/** A token is sampled this often. */
const LONGEST_REST_MS = 10_000;

type Cost = {
  readonly tookMs: number;
  readonly restMs: number;
  readonly endedAtMs: number;
  readonly hopsTakenBack: number;
};

/** `hopsTakenBack` as in `Unconfirmed`; 0 if no slot can be dropped. */
type Moment = { readonly nowMs: number; readonly hopsTakenBack: number };

/**
 * Tokens whose measurement takes long, as those of dozens of pools that pay in chained coins. Anyone can create such
 * a token for the rent of its pools and change it in every slot, so they rest, and leave the thread to the others.
 */
export class CostlyTokens {
  readonly #costs = new WeakMap<FollowedToken, Cost>();

  /** A pause of the thread may seem to be a part of one measurement: the shorter one of the last two counts. */
  note(token: FollowedToken, startedMs: number, { nowMs, hopsTakenBack }: Moment): void {
    const tookMs = nowMs - startedMs;
    const before = this.#costs.get(token);
    if (tookMs < COSTLY_MS) {
      if (before !== undefined) this.#costs.delete(token);
      return;
    }
    const costMs = Math.min(tookMs, before?.tookMs ?? 0);
    const restMs = Math.min(REST_FACTOR * costMs, LONGEST_REST_MS);
    this.#costs.set(token, { tookMs, restMs, endedAtMs: nowMs, hopsTakenBack });
  }

  /** Where a hop was taken back, the last assessment may be of a slot that was dropped: the rest ends. */
  isResting(token: FollowedToken, { nowMs, hopsTakenBack }: Moment): boolean {
    const cost = this.#costs.get(token);
    if (cost === undefined || cost.hopsTakenBack !== hopsTakenBack) return false;
    return isWithin(cost.restMs, cost.endedAtMs, nowMs);
  }
}
