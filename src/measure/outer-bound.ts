/** What is known of a concave lane: exact samples, the first at (0, 0), and where it is refused. */
export type ConcaveSamples = {
  readonly amounts: readonly number[];
  readonly payments: readonly number[];
  /** Every amount from here on is refused; Infinity where no refusal is known. */
  readonly refusedFrom: number;
  /** Upper bound of the slope at 0. */
  readonly steepest: number;
};

/** No split of the whole can pay more than `paid`; the bound is reached at `amounts`. */
export type OuterBound = { readonly paid: number; readonly amounts: readonly number[] };

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
    if (steepest < 0) return null;
    const piece = next[steepest] ?? 0;
    const width = Math.min(left, roofs[steepest]?.widths[piece] ?? 0);
    amounts[steepest] = (amounts[steepest] ?? 0) + width;
    next[steepest] = piece + 1;
    paid += width * slope;
    left -= width;
  }
  return { paid, amounts };
}

/** The concave hull of the points where the extended chords meet. */
function roofOver(lane: ConcaveSamples, whole: number): Roof {
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
  const widths: number[] = [];
  const slopes: number[] = [];
  for (let index = 1; index < hullX.length; index++) {
    const width = (hullX[index] ?? 0) - (hullX[index - 1] ?? 0);
    widths.push(width);
    slopes.push(((hullY[index] ?? 0) - (hullY[index - 1] ?? 0)) / width);
  }
  return { widths, slopes };
}

function addCorners(
  { amounts, payments, refusedFrom, steepest }: ConcaveSamples,
  whole: number,
  add: (x: number, y: number) => void,
): void {
  const chord = (index: number): number =>
    ((payments[index + 1] ?? 0) - (payments[index] ?? 0)) /
    ((amounts[index + 1] ?? 0) - (amounts[index] ?? 0));
  const last = amounts.length - 1;
  let left = steepest;
  for (let index = 0; index < last; index++) {
    const x = amounts[index] ?? 0;
    const y = payments[index] ?? 0;
    if (x >= whole) {
      add(x, y);
      return;
    }
    // Rounding can make a short chord a little steeper than the one before it: the bound stays one.
    const own = chord(index);
    const above = Math.max(left, own);
    const below = index + 1 < last ? Math.max(0, Math.min(own, chord(index + 1))) : 0;
    const width = (amounts[index + 1] ?? 0) - x;
    const meet = above > below ? ((own - below) * width) / (above - below) : width;
    add(x + meet, y + above * meet);
    left = own;
  }
  add(amounts[last] ?? 0, payments[last] ?? 0);
  const end = Math.min(refusedFrom, whole);
  const from = amounts[last] ?? 0;
  if (end > from) add(end, (payments[last] ?? 0) + left * (end - from));
}
