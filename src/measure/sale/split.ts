import { toNumber } from "#src/units/to-number.ts";
import { CALIBRATION } from "../calibration.ts";
import { bestOnHyperbolas, foretells, type Hyperbola, paidOn } from "./hyperbola.ts";
import { countQuotes, effortOf, quoteCorners, quoteLane, type SampledLane } from "./lane.ts";
import { type ConcaveSamples, outerBound } from "./outer-bound.ts";

/** How much goes to each lane, in their order, and what that pays together. */
export type Split = { readonly amountsIn: readonly bigint[]; readonly paid: bigint };

/** When a search ends. */
export type SplitTerms = {
  /** No split can pay more than this share above the one found. */
  readonly gap: number;
  /** The search took this effort: the best split can then pay more than the gap above the one found. */
  readonly mostEffort: number;
};

const TERMS: SplitTerms = {
  gap: CALIBRATION.split.gap,
  mostEffort: CALIBRATION.split.mostEffort,
};

/**
 * The split of `amountIn` over the lanes that pays the most, to within the calibrated gap, or null
 * where the lanes together can't take it whole. Never below the best single lane; the amounts always
 * sum to `amountIn`, and what it pays is a sum of exact quotes.
 *
 * Lanes that lie on hyperbolas (constant product) are solved in closed form, and each is checked by
 * its quote there. Otherwise the samples of all lanes give a bound that no split can pass, and the
 * split where it is reached is quoted next: until the best one found is as good as the bound, or
 * until more quotes do not lower the bound and rounding is what remains of it. Lanes that are not
 * concave, or split their own part, could keep it searching for long: so the effort is bounded.
 */
export function bestSplit(
  lanes: readonly SampledLane[],
  amountIn: bigint,
  { gap, mostEffort }: SplitTerms = TERMS,
): Split | null {
  const end = effortOf(lanes) + mostEffort;
  const isSpent = (): boolean => effortOf(lanes) >= end;
  const split = searchedSplit(lanes, amountIn, { gap, isSpent });
  return isSpent() ? better(split, splitOfMain(lanes, amountIn, { gap, mostEffort })) : split;
}

/**
 * The split without the lanes that pay little although each quote of theirs is a search: such lanes, which anyone can
 * create, spend the effort, and must not lower what the others pay.
 */
function splitOfMain(
  lanes: readonly SampledLane[],
  amountIn: bigint,
  terms: SplitTerms,
): Split | null {
  const mostOf = ({ payments }: SampledLane): number => payments.at(-1) ?? 0;
  const least = CALIBRATION.split.leastOfSearched * Math.max(...lanes.map(mostOf));
  const main = lanes.filter((lane) => lane.lane.isSearched !== true || mostOf(lane) >= least);
  if (main.length === lanes.length || main.length < 2) return null;
  const split = bestSplit(main, amountIn, terms);
  if (split === null) return null;
  const amountsIn = lanes.map((lane) => split.amountsIn[main.indexOf(lane)] ?? 0n);
  return { amountsIn, paid: split.paid };
}

/** The best split that the search finds until `isSpent`. */
function searchedSplit(
  lanes: readonly SampledLane[],
  amountIn: bigint,
  { gap, isSpent }: { readonly gap: number; readonly isSpent: () => boolean },
): Split | null {
  if (lanes.length < 2 || amountIn <= 1n || isSpent()) return bestSingle(lanes, amountIn);
  const whole = toNumber(amountIn);
  const closed = closedForm(lanes, amountIn, whole);
  if (closed.isSettled && paysMoreThanAnySingle(closed.split, lanes, whole)) return closed.split;
  let best = better(bestSingle(lanes, amountIn), closed.split);
  if (closed.isSettled) return best;
  if (best !== null) seekFirstFill(lanes, toNumber(best.paid) * gap, isSpent);
  const rounding = lanes.reduce((sum, lane) => sum + lane.rounding, 0);
  const { rounds, stallRounds } = CALIBRATION.split;
  const apart: number[] = [];
  for (let round = 0; round < rounds && !isSpent(); round++) {
    const bound = outerBound(lanes, whole);
    if (bound === null) break;
    const over = best === null ? Number.POSITIVE_INFINITY : bound.paid - toNumber(best.paid);
    if (best !== null && over <= toNumber(best.paid) * gap + rounding) break;
    const earlier = apart.at(-stallRounds) ?? Number.POSITIVE_INFINITY;
    if (over <= 2 * rounding && over > 0.99 * earlier) break;
    apart.push(over);
    const asked = countQuotes(lanes);
    const next = isEndKnown(lanes) ? outerBound(lanes.map(upToHalfWay), whole) : bound;
    if (next === null) quoteHalfWay(lanes);
    else best = better(best, quoteSplit(lanes, wholeUnits(lanes, next.amounts, amountIn)));
    if (countQuotes(lanes) > asked) continue;
    // The amounts of the bound are quoted already: quote the corners next to them, where the bound is loosest.
    for (const [index, lane] of lanes.entries())
      quoteCorners(lane, bound.amounts[index] ?? 0, whole);
    if (countQuotes(lanes) === asked) break;
  }
  if (best === null || amountIn > CALIBRATION.split.coarseUnits) return best;
  return movedByUnits(lanes, best, isSpent);
}

/**
 * Where a position is a few units only, rounding makes the lanes uneven: units are moved from lane to
 * lane as long as that pays more, in steps from a quarter of the position down to one unit.
 */
function movedByUnits(lanes: readonly SampledLane[], split: Split, isSpent: () => boolean): Split {
  const amountIn = split.amountsIn.reduce((sum, amount) => sum + amount, 0n);
  let best = split;
  for (let round = 0; round < CALIBRATION.split.coarseRounds; round++) {
    const before = best.paid;
    for (let step = amountIn / 4n; step > 0n; step /= 2n) {
      best = bestMove(lanes, best, { step, isSpent });
    }
    if (best.paid === before) break;
  }
  return best;
}

/** The split after each lane was offered `step` units of each other one, in order. */
function bestMove(
  lanes: readonly SampledLane[],
  split: Split,
  { step, isSpent }: { readonly step: bigint; readonly isSpent: () => boolean },
): Split {
  let best = split;
  for (const [from, giver] of lanes.entries()) {
    for (const [to, taker] of lanes.entries()) {
      const has = best.amountsIn[from] ?? 0n;
      const takes = best.amountsIn[to] ?? 0n;
      if (from === to || has < step) continue;
      if (isSpent()) return best;
      giver.effort.spent += 1;
      const paid = sumOrNull(quoteLane(giver, has - step), quoteLane(taker, takes + step));
      const paidBefore = sumOrNull(quoteLane(giver, has), quoteLane(taker, takes));
      if (paid === null || paidBefore === null || paid <= paidBefore) continue;
      best = {
        amountsIn: best.amountsIn.with(from, has - step).with(to, takes + step),
        paid: best.paid + paid - paidBefore,
      };
    }
  }
  return best;
}

function sumOrNull(a: bigint | null, b: bigint | null): bigint | null {
  return a === null || b === null ? null : a + b;
}

function bestSingle(lanes: readonly SampledLane[], amountIn: bigint): Split | null {
  let best: Split | null = null;
  lanes.forEach((lane, chosen) => {
    const paid = quoteLane(lane, amountIn);
    if (paid === null || (best !== null && paid <= best.paid)) return;
    best = { amountsIn: lanes.map((_, index) => (index === chosen ? amountIn : 0n)), paid };
  });
  return best;
}

function better(a: Split | null, b: Split | null): Split | null {
  if (a === null || b === null) return a ?? b;
  return b.paid > a.paid ? b : a;
}

/** The optimum over lanes that are all hyperbolas; settled if each quote equals the prediction. */
function closedForm(
  lanes: readonly SampledLane[],
  amountIn: bigint,
  whole: number,
): { readonly split: Split | null; readonly isSettled: boolean } {
  const hyperbolas: Hyperbola[] = [];
  for (const { hyperbola } of lanes) if (hyperbola !== null) hyperbolas.push(hyperbola);
  if (hyperbolas.length < lanes.length) return { split: null, isSettled: false };
  const amounts = wholeUnits(lanes, bestOnHyperbolas(hyperbolas, whole), amountIn);
  const split = quoteSplit(lanes, amounts);
  let isSettled = split !== null;
  hyperbolas.forEach((hyperbola, index) => {
    const lane = lanes[index];
    const amount = amounts[index] ?? 0n;
    if (lane === undefined || amount === 0n) return;
    const quoted = quoteLane(lane, amount);
    if (quoted !== null && foretells(paidOn(hyperbola, toNumber(amount)), toNumber(quoted))) return;
    lane.hyperbola = null;
    isSettled = false;
  });
  return { split, isSettled };
}

/** Whether no single lane can pay as much, judged by the hyperbolas; they are quoted only if one may. */
function paysMoreThanAnySingle(
  split: Split | null,
  lanes: readonly SampledLane[],
  whole: number,
): boolean {
  if (split === null) return false;
  const paid = toNumber(split.paid);
  return lanes.every(({ hyperbola }) => {
    if (hyperbola === null) return false;
    const single = paidOn(hyperbola, whole);
    return single < paid && !foretells(single, paid);
  });
}

/** The lane, no further than half-way into what is not known to be filled where a refusal lies beyond. */
function upToHalfWay(lane: SampledLane): ConcaveSamples {
  return { ...lane, refusedFrom: halfWay(lane) };
}

/**
 * Quotes lanes that refused every amount so far at smaller ones, until one is filled or the lane can
 * pay no more than `negligible`. The rounds of the search quote no amount below `leastShare`: a drained
 * pool of a high price would keep the bound far above every split until the rounds are used up.
 */
function seekFirstFill(
  lanes: readonly SampledLane[],
  negligible: number,
  isSpent: () => boolean,
): void {
  for (const lane of lanes) {
    while (lane.amounts.length === 1 && lane.refusedFrom < Number.POSITIVE_INFINITY && !isSpent()) {
      const half = Math.floor(lane.refusedFrom / 2);
      if (half === 0 || lane.refusedFrom * lane.steepest <= negligible) break;
      quoteLane(lane, BigInt(half));
    }
  }
}

/** Whether a lane is known to be refused somewhere. */
function isEndKnown(lanes: readonly SampledLane[]): boolean {
  return lanes.some(({ refusedFrom }) => refusedFrom < Number.POSITIVE_INFINITY);
}

function halfWay({ amounts, refusedFrom }: SampledLane): number {
  return ((amounts.at(-1) ?? 0) + refusedFrom) / 2;
}

/** Quotes each lane halfway between its largest filled and its smallest refused amount, to find its end. */
function quoteHalfWay(lanes: readonly SampledLane[]): void {
  for (const lane of lanes) {
    const amount = halfWay(lane);
    if (amount < Number.POSITIVE_INFINITY) quoteLane(lane, BigInt(Math.floor(amount)));
  }
}

/**
 * The amounts in whole units that sum to `amountIn`: rounded down, dust dropped, and the rest given
 * to the lane that can take it and has the most already.
 */
function wholeUnits(
  lanes: readonly SampledLane[],
  amounts: readonly number[],
  amountIn: bigint,
): readonly bigint[] {
  const least = toNumber(amountIn) * CALIBRATION.split.leastShare;
  const units = amounts.map((amount, index) => {
    const whole = Math.floor(amount);
    const isDust = amount < least || whole <= (lanes[index]?.dustUpTo ?? 0);
    return isDust ? 0n : BigInt(whole);
  });
  const rest = amountIn - units.reduce((sum, amount) => sum + amount, 0n);
  let taker = -1;
  let most = -1;
  lanes.forEach((lane, index) => {
    const amount = amounts[index] ?? 0;
    if (amount + toNumber(rest) < lane.refusedFrom && amount > most) {
      taker = index;
      most = amount;
    }
  });
  if (taker < 0) taker = roomiest(lanes, amounts);
  return units.map((amount, index) => (index === taker ? amount + rest : amount));
}

function roomiest(lanes: readonly SampledLane[], amounts: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  let found = 0;
  lanes.forEach((lane, index) => {
    const room = lane.refusedFrom - (amounts[index] ?? 0);
    if (room > most) {
      found = index;
      most = room;
    }
  });
  return found;
}

/** What the amounts pay together, or null where a lane refuses its part. Every lane is asked, so that each learns. */
function quoteSplit(lanes: readonly SampledLane[], amountsIn: readonly bigint[]): Split | null {
  let paid: bigint | null = 0n;
  lanes.forEach((lane, index) => {
    const own = quoteLane(lane, amountsIn[index] ?? 0n);
    paid = own === null || paid === null ? null : paid + own;
  });
  return paid === null ? null : { amountsIn, paid };
}
