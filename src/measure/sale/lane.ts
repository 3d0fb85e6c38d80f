import { toNumber } from "#src/units/to-number.ts";
import { CALIBRATION } from "../calibration.ts";
import { type Hyperbola, hyperbolaThrough } from "./hyperbola.ts";
import { cornersOver } from "./outer-bound.ts";

/** One way to sell a part of a position. What it pays grows with the amount, ever more slowly. */
export type Lane = {
  /** Upper bound of what one unit pays, as a double. */
  readonly steepest: number;
  /** By how much rounding can lower the payment below a concave curve; absent: 0. */
  readonly rounding?: number;
  /** A fee that may be taken from the amount in whole units, rounded up. Chooses quotes, proves nothing; absent: 0. */
  readonly inputFeePpm?: number;
  /** Whether each quote is a search of its own; absent: no. */
  readonly isSearched?: boolean;
  /**
   * What each of these ascending amounts pays alone, or null if it is refused. A lane that splits the amount
   * adds the effort of that to `effort`, beyond one quote for each amount.
   */
  readonly quoteAscending: (
    amountsIn: readonly bigint[],
    effort: Effort,
  ) => readonly (bigint | null)[];
};

/** How much a search has done: quotes made, and moves of units tried. */
export type Effort = { spent: number };

/** A lane and what has been quoted on it: all that a search knows. Grows while it is searched. */
export type SampledLane = {
  readonly lane: Lane;
  readonly steepest: number;
  readonly rounding: number;
  readonly inputFeePpm: number;
  readonly quotes: Map<bigint, bigint | null>;
  /** What these quotes took. */
  readonly effort: Effort;
  /** The filled quotes as doubles, ascending; starts with (0, 0). */
  readonly amounts: number[];
  readonly payments: number[];
  /** The smallest amount beyond every filled one that is known to be refused. */
  refusedFrom: number;
  /** The largest amount below a filled one that is known to be refused: too little to pay anything. */
  dustUpTo: number;
  /** The one hyperbola on which all quotes lie, where they do. */
  hyperbola: Hyperbola | null;
};

/** Quotes a lane at ascending amounts above 0, as a start. */
export function sampleLane(lane: Lane, amountsIn: readonly bigint[]): SampledLane {
  const sampled: SampledLane = {
    lane,
    steepest: lane.steepest,
    rounding: lane.rounding ?? 0,
    inputFeePpm: lane.inputFeePpm ?? 0,
    quotes: new Map(),
    effort: { spent: 0 },
    amounts: [0],
    payments: [0],
    refusedFrom: Number.POSITIVE_INFINITY,
    dustUpTo: 0,
    hyperbola: null,
  };
  const paid = lane.quoteAscending(amountsIn, sampled.effort);
  amountsIn.forEach((amountIn, index) => {
    remember(sampled, amountIn, paid[index] ?? null);
  });
  sampled.hyperbola = hyperbolaThrough(sampled.amounts, sampled.payments);
  return sampled;
}

/** A copy that learns for itself: the same samples give the same split, whatever was split before. */
export function copyLane(sampled: SampledLane): SampledLane {
  const { quotes, effort, amounts, payments } = sampled;
  return {
    ...sampled,
    quotes: new Map(quotes),
    effort: { ...effort },
    amounts: [...amounts],
    payments: [...payments],
  };
}

/** What the amount pays on this lane alone: exact, computed once, and kept as a sample. */
export function quoteLane(sampled: SampledLane, amountIn: bigint): bigint | null {
  if (amountIn === 0n) return 0n;
  const known = sampled.quotes.get(amountIn);
  if (known !== undefined) return known;
  const paid = sampled.lane.quoteAscending([amountIn], sampled.effort)[0] ?? null;
  remember(sampled, amountIn, paid);
  return paid;
}

/**
 * Quotes a lane at the nearest corners of its bound on both sides of an amount, where the bound can be
 * farthest above the lane. Amounts that are quoted already, or hardly differ, are skipped.
 */
export function quoteCorners(sampled: SampledLane, amount: number, whole: number): void {
  const apart = whole * CALIBRATION.split.leastShare;
  const fresh = cornersOver(sampled, whole).filter(
    (corner) =>
      corner >= 1 &&
      corner < sampled.refusedFrom &&
      Math.abs(corner - amount) > apart &&
      !sampled.quotes.has(BigInt(Math.floor(corner))),
  );
  const before = fresh.findLast((corner) => corner < amount);
  const after = fresh.find((corner) => corner > amount);
  for (const corner of [before, after]) {
    if (corner !== undefined) quoteLane(sampled, BigInt(Math.floor(corner)));
  }
}

/** How many amounts have been quoted, refused ones included. */
export function countQuotes(lanes: readonly SampledLane[]): number {
  return lanes.reduce((sum, lane) => sum + lane.quotes.size, 0);
}

/** What all quotes of these lanes took. */
export function effortOf(lanes: readonly SampledLane[]): number {
  return lanes.reduce((sum, lane) => sum + lane.effort.spent, 0);
}

function remember(sampled: SampledLane, amountIn: bigint, paid: bigint | null): void {
  sampled.quotes.set(amountIn, paid);
  sampled.effort.spent += 1;
  const { amounts, payments } = sampled;
  const amount = toNumber(amountIn);
  const largest = amounts.at(-1) ?? 0;
  if (paid === null) {
    if (amount > largest) sampled.refusedFrom = Math.min(sampled.refusedFrom, amount);
    else sampled.dustUpTo = Math.max(sampled.dustUpTo, amount);
    return;
  }
  if (amount >= sampled.refusedFrom) {
    sampled.dustUpTo = Math.max(sampled.dustUpTo, sampled.refusedFrom);
    sampled.refusedFrom = Number.POSITIVE_INFINITY;
  }
  let at = amounts.length;
  while (at > 0 && (amounts[at - 1] ?? 0) >= amount) at--;
  if (amounts[at] === amount) return;
  amounts.splice(at, 0, amount);
  payments.splice(at, 0, toNumber(paid));
}
