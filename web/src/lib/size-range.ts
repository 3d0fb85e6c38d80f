import type { SIZE_RANGE_SOL as MeasuredRange } from "#src/measure/questions/requested-size.ts";

/** Both ends included. */
export type Range = { readonly minimum: number; readonly maximum: number };

/** The sizes that are measured, in SOL. The type is the service's own range: another one here does not compile. */
export const SIZE_RANGE_SOL: typeof MeasuredRange = { minimum: 0.01, maximum: 1_000 };

/** False also for NaN. */
export function isWithin(amount: number, { minimum, maximum }: Range): boolean {
  return amount >= minimum && amount <= maximum;
}

export function nearestWithin(amount: number, { minimum, maximum }: Range): number {
  return Math.min(maximum, Math.max(minimum, amount));
}
