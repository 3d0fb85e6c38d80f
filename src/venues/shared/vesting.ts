import { maxBigint, minBigint } from "#src/units/integer.ts";
import type { Clock } from "../venue.ts";

/** A moment as a program counts it: Unix seconds, or slots. */
export type ChainMoment = { readonly counts: "seconds" | "slots"; readonly at: bigint };

/**
 * Nothing until the cliff, then `cliffAmount`, then `perPeriod` after each whole period, never more than
 * `total`. What was taken out already counts.
 */
export type Vesting = {
  readonly counts: ChainMoment["counts"];
  readonly cliffAt: bigint;
  readonly cliffAmount: bigint;
  readonly period: bigint;
  readonly perPeriod: bigint;
  readonly total: bigint;
  /** All of it is open from then on, whatever the periods say; null: they alone decide. */
  readonly endsAt: bigint | null;
  /** What its owner has taken out of `total`. */
  readonly released: bigint;
};

/** What is still locked, and when that changes. */
export type StillLocked = {
  readonly amount: bigint;
  /** When more of it opens. */
  readonly next: ChainMoment;
  /** When all of it is open. */
  readonly last: ChainMoment;
};

/** Whether a program that keeps to its own rules can have written it. */
export function isConsistent(vesting: Vesting, clock: Clock): boolean {
  const { cliffAmount, total, period, perPeriod, endsAt, released } = vesting;
  const hasEnd = cliffAmount >= total || (period > 0n && perPeriod > 0n) || endsAt !== null;
  return hasEnd && released <= openedBy(vesting, clock);
}

export function momentNow({ counts }: Pick<ChainMoment, "counts">, clock: Clock): bigint {
  return counts === "slots" ? clock.slot : clock.unixTimestamp;
}

/** All that has opened so far, what was taken out included. */
export function openedBy(vesting: Vesting, clock: Clock): bigint {
  const { cliffAt, cliffAmount, period, perPeriod, total, endsAt } = vesting;
  const now = momentNow(vesting, clock);
  if (now < cliffAt) return 0n;
  if (endsAt !== null && now >= endsAt) return total;
  if (period === 0n) return minBigint(cliffAmount, total);
  return minBigint(cliffAmount + ((now - cliffAt) / period) * perPeriod, total);
}

/** Null where all of it is open. */
export function stillLocked(vesting: Vesting, clock: Clock): StillLocked | null {
  const { counts, cliffAt, total } = vesting;
  const amount = total - openedBy(vesting, clock);
  if (amount === 0n) return null;
  const last = maxBigint(cliffAt, lastMoment(vesting));
  const next = minBigint(nextMoment(vesting, momentNow(vesting, clock)), last);
  return { amount, next: { counts, at: next }, last: { counts, at: last } };
}

function nextMoment(vesting: Vesting, now: bigint): bigint {
  const { cliffAt, cliffAmount, period, perPeriod } = vesting;
  if (now < cliffAt && cliffAmount > 0n) return cliffAt;
  if (period === 0n || perPeriod === 0n) return lastMoment(vesting);
  const passed = now < cliffAt ? 0n : (now - cliffAt) / period;
  return cliffAt + (passed + 1n) * period;
}

function lastMoment({ cliffAt, cliffAmount, period, perPeriod, total, endsAt }: Vesting): bigint {
  if (cliffAmount >= total) return cliffAt;
  if (period === 0n || perPeriod === 0n) return endsAt ?? cliffAt;
  const periods = (total - cliffAmount + perPeriod - 1n) / perPeriod;
  const byPeriods = cliffAt + periods * period;
  return endsAt === null ? byPeriods : minBigint(byPeriods, endsAt);
}
