import type { SIZE_RANGE_SOL as MeasuredRange } from "#src/measure/requested-size.ts";

/** The sizes that are measured, in SOL. The type is the service's own range: another one here does not compile. */
export const SIZE_RANGE_SOL: typeof MeasuredRange = { minimum: 0.01, maximum: 1_000 };

/** False also for NaN. */
export function isMeasuredSize(sizeSol: number): boolean {
  return sizeSol >= SIZE_RANGE_SOL.minimum && sizeSol <= SIZE_RANGE_SOL.maximum;
}

export function nearestMeasuredSize(sizeSol: number): number {
  return Math.min(SIZE_RANGE_SOL.maximum, Math.max(SIZE_RANGE_SOL.minimum, sizeSol));
}
