/** What is known of a concave lane: exact samples, the first at (0, 0), and where it is refused. */
export type ConcaveSamples = {
  readonly amounts: readonly number[];
  readonly payments: readonly number[];
  /** Every amount from here on is refused; Infinity where no refusal is known. */
  readonly refusedFrom: number;
  /** Upper bound of the slope at 0. */
  readonly steepest: number;
  /** By how much the lane's rounding can have lowered any payment below the concave curve; absent: 0. */
  readonly rounding?: number;
};

/** No split of the whole can pay more than `paid`; the bound is reached at `amounts`. */
export type OuterBound = { readonly paid: number; readonly amounts: readonly number[] };

/** A chord over this many times the rounding has an exact enough slope: longer chords are not examined. */
const EXACT = 1e6;
/**
 * So many neighbours are examined one by one, and then only each at twice the distance of the last: any of
 * them gives a valid bound, and a search of many sizes has thousands of samples.
 */
const NEIGHBOURS = 12;

/**
 * The widths of a lane sum to its end but for the rounding of doubles. What that leaves over pays no more than
 * this share of the bound, since the steeper pieces came first; callers allow a hundred times as much.
 */
const FLOAT_RESIDUE = 1e-14;

/** A piecewise linear concave function above a lane: widths and slopes, the slopes descending. */
type Roof = { readonly widths: readonly number[]; readonly slopes: readonly number[] };

/**
 * The most that `whole` can pay over concave lanes, judged by their samples alone: between two
 * samples a concave lane lies below both neighbouring chords' extensions. The roofs over all lanes
 * are filled together, the steepest piece first. Null where the lanes can't take `whole`.
 */
export function outerBound(lanes: readonly ConcaveSamples[], whole: number): OuterBound | null {
  const roofs = lanes.map((lane) => roofOver(lane, whole));
  const next = roofs.map(() => 0);
  const amounts = roofs.map(() => 0);
  let left = whole;
  let paid = 0;
  while (left > 0) {
    let steepest = -1;
    let slope = -1;
    for (let lane = 0; lane < roofs.length; lane++) {
      const own = roofs[lane]?.slopes[next[lane] ?? 0];
      if (own !== undefined && own > slope) {
        slope = own;
        steepest = lane;
      }
    }
    if (steepest < 0) return left <= whole * FLOAT_RESIDUE ? { paid, amounts } : null;
    const piece = next[steepest] ?? 0;
    const width = Math.min(left, roofs[steepest]?.widths[piece] ?? 0);
    amounts[steepest] = (amounts[steepest] ?? 0) + width;
    next[steepest] = piece + 1;
    paid += width * slope;
    left -= width;
  }
  return { paid, amounts };
}

/** The corners of the roof over a lane, ascending, where the roof can be farthest above the lane. */
export function cornersOver(lane: ConcaveSamples, whole: number): readonly number[] {
  return hullOver(lane, whole).x;
}

function roofOver(lane: ConcaveSamples, whole: number): Roof {
  const { x, y } = hullOver(lane, whole);
  const widths: number[] = [];
  const slopes: number[] = [];
  for (let index = 1; index < x.length; index++) {
    const width = (x[index] ?? 0) - (x[index - 1] ?? 0);
    widths.push(width);
    slopes.push(((y[index] ?? 0) - (y[index - 1] ?? 0)) / width);
  }
  return { widths, slopes };
}

type Hull = { readonly x: readonly number[]; readonly y: readonly number[] };

/** The concave hull of the points where the extended chords meet. */
function hullOver(lane: ConcaveSamples, whole: number): Hull {
  const hullX: number[] = [0];
  const hullY: number[] = [0];
  const add = (x: number, y: number): void => {
    while (hullX.length > 1) {
      const lastX = hullX.at(-1) ?? 0;
      const lastY = hullY.at(-1) ?? 0;
      const beforeX = hullX.at(-2) ?? 0;
      const beforeY = hullY.at(-2) ?? 0;
      const isBelow = (lastY - beforeY) * (x - lastX) <= (y - lastY) * (lastX - beforeX);
      if (!isBelow) break;
      hullX.pop();
      hullY.pop();
    }
    const lastX = hullX.at(-1) ?? 0;
    if (x > lastX) {
      hullX.push(x);
      hullY.push(y);
    }
  };
  addCorners(lane, whole, add);
  return { x: hullX, y: hullY };
}

function addCorners(
  lane: ConcaveSamples,
  whole: number,
  add: (x: number, y: number) => void,
): void {
  const { amounts, payments, refusedFrom, steepest, rounding = 0 } = lane;
  const last = amounts.length - 1;
  // At 0 nothing is rounded.
  const above = (index: number): number => (index === 0 ? 0 : (payments[index] ?? 0) + rounding);
  let left = steepest;
  for (let index = 0; index < last; index++) {
    const x = amounts[index] ?? 0;
    const y = above(index);
    if (x >= whole) {
      add(x, y);
      return;
    }
    const width = (amounts[index + 1] ?? 0) - x;
    const own = (above(index + 1) - y) / width;
    // Rounding can make a short chord a little steeper than the chord before it; the result is still an upper bound.
    const from = Math.max(left, own);
    const to = Math.min(own, flattestAfter(lane, index + 1));
    const meet = from > to ? ((own - to) * width) / (from - to) : width;
    add(x + meet, y + from * meet);
    const before = steepestBefore(lane, index + 1);
    left = rounding === 0 ? before : Math.min(left, before);
  }
  add(amounts[last] ?? 0, above(last));
  const end = Math.min(refusedFrom, whole);
  const from = amounts[last] ?? 0;
  if (end > from) add(end, above(last) + left * (end - from));
}

/**
 * The least upper bound of the curve's slope at a sample that follows from the samples before it. The curve
 * lies between a payment and that payment plus its rounding, so longer chords give tighter bounds.
 */
function steepestBefore({ amounts, payments, rounding = 0 }: ConcaveSamples, at: number): number {
  const x = amounts[at] ?? 0;
  const y = (payments[at] ?? 0) + rounding;
  const slopeFrom = (index: number) => (y - (payments[index] ?? 0)) / (x - (amounts[index] ?? 0));
  let least = Number.POSITIVE_INFINITY;
  for (let index = at - 1; index >= 0; index -= strideAt(at - index)) {
    least = Math.min(least, slopeFrom(index));
    if (y - (payments[index] ?? 0) >= EXACT * rounding) break;
  }
  return least;
}

/** The greatest lower bound of the curve's slope at a sample that follows from the samples after it. */
function flattestAfter({ amounts, payments, rounding = 0 }: ConcaveSamples, at: number): number {
  const x = amounts[at] ?? 0;
  const y = (payments[at] ?? 0) + rounding;
  let most = 0;
  for (let index = at + 1; index < amounts.length; index += strideAt(index - at)) {
    most = Math.max(most, ((payments[index] ?? 0) - y) / ((amounts[index] ?? 0) - x));
    if ((payments[index] ?? 0) - y >= EXACT * rounding) break;
  }
  return most;
}

function strideAt(distance: number): number {
  return distance < NEIGHBOURS ? 1 : distance;
}
