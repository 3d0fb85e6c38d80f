import { maxBigint, minBigint } from "#src/units/integer.ts";
import type { Clock } from "../venue.ts";

/** A moment as a program counts it: Unix seconds, or slots. */
export type ChainMoment = { readonly counts: "seconds" | "slots"; readonly at: bigint };

/**
 * A schedule that opens nothing until the cliff, then `cliffAmount`, then `perPeriod` after each whole
 * period, never more than `total`. Amounts include what was already taken out.
 */
export type Vesting = {
  readonly counts: ChainMoment["counts"];
  readonly cliffAt: bigint;
  readonly cliffAmount: bigint;
  readonly period: bigint;
  readonly perPeriod: bigint;
  readonly total: bigint;
  /** From this moment on everything is open, whatever the periods are; null: only the periods decide. */
  readonly endsAt: bigint | null;
  /** The part of `total` that the owner has taken out. */
  readonly released: bigint;
};

/** The amount that is still locked, and when it opens. */
export type StillLocked = {
  readonly amount: bigint;
  /** When the next part opens. */
  readonly next: ChainMoment;
  /** When all of it is open. */
  readonly last: ChainMoment;
};

/** Whether a program that follows its own rules can have written this schedule. */
export function isConsistent(vesting: Vesting, clock: Clock): boolean {
  const { cliffAmount, total, period, perPeriod, endsAt, released } = vesting;
  const hasEnd = cliffAmount >= total || (period > 0n && perPeriod > 0n) || endsAt !== null;
  return hasEnd && released <= openedBy(vesting, clock);
}

export function momentNow({ counts }: Pick<ChainMoment, "counts">, clock: Clock): bigint {
  return counts === "slots" ? clock.slot : clock.unixTimestamp;
}

/** The amount that has opened so far, including the part that was taken out. */
export function openedBy(vesting: Vesting, clock: Clock): bigint {
  const { cliffAt, cliffAmount, period, perPeriod, total, endsAt } = vesting;
  const now = momentNow(vesting, clock);
  if (now < cliffAt) return 0n;
  if (endsAt !== null && now >= endsAt) return total;
  if (period === 0n) return minBigint(cliffAmount, total);
  return minBigint(cliffAmount + ((now - cliffAt) / period) * perPeriod, total);
}

/** Null if everything is open. */
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
