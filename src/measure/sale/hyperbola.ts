import { CALIBRATION } from "../calibration.ts";

/**
 * A lane that pays `x / (start + bend * x)`: a constant-product pool with a constant fee, one range
 * of concentrated liquidity, and one such pool after another. Doubles: it guides a search, and
 * pays nothing.
 */
export type Hyperbola = { readonly start: number; readonly bend: number };

const LEAST_SAMPLES = 4;

/** The hyperbola on which all samples lie but for rounding, or null where there is none. */
export function hyperbolaThrough(
  amounts: readonly number[],
  payments: readonly number[],
): Hyperbola | null {
  const last = amounts.length - 1;
  const lowAmount = amounts[1] ?? 0;
  const lowPaid = payments[1] ?? 0;
  const highAmount = amounts[last] ?? 0;
  const highPaid = payments[last] ?? 0;
  if (last < LEAST_SAMPLES || lowPaid <= 0) return null;
  const bend = Math.max(
    0,
    (highAmount / highPaid - lowAmount / lowPaid) / (highAmount - lowAmount),
  );
  const hyperbola = { start: highAmount / highPaid - bend * highAmount, bend };
  if (hyperbola.start <= 0) return null;
  for (let index = 1; index <= last; index++) {
    if (!foretells(paidOn(hyperbola, amounts[index] ?? 0), payments[index] ?? 0)) return null;
  }
  return hyperbola;
}

export function paidOn({ start, bend }: Hyperbola, amountIn: number): number {
  return amountIn / (start + bend * amountIn);
}

/** Whether what a hyperbola says and what was quoted differ by no more than rounding does. */
export function foretells(foretold: number, quoted: number): boolean {
  const { hyperbolaTolerance, hyperbolaRoundingUnits } = CALIBRATION.split;
  return Math.abs(foretold - quoted) <= hyperbolaRoundingUnits + hyperbolaTolerance * quoted;
}

/**
 * The amounts at which all used lanes pay the same for one unit more, and unused ones less: the
 * optimum over hyperbolas, in closed form.
 */
export function bestOnHyperbolas(lanes: readonly Hyperbola[], whole: number): readonly number[] {
  const steepestFirst = lanes
    .map((lane, index) => ({
      index,
      start: lane.start,
      // A lane without any bend would take everything at one price: give it the least one.
      bend: Math.max(lane.bend, (1e-7 * lane.start) / whole),
    }))
    .sort((a, b) => a.start - b.start);
  let offset = whole;
  let weight = 0;
  let level = 0;
  for (const { start, bend } of steepestFirst) {
    if (weight > 0 && Math.sqrt(start) >= level) break;
    offset += start / bend;
    weight += Math.sqrt(start) / bend;
    level = offset / weight;
  }
  const amounts = lanes.map(() => 0);
  for (const { index, start, bend } of steepestFirst) {
    amounts[index] = Math.max(0, (Math.sqrt(start) * level - start) / bend);
  }
  return amounts;
}
