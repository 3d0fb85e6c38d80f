import type { STANDARD_SIZES as MeasuredSizes } from "#src/measure/assessment.ts";

/** In SOL, ascending. The type is the service's own list: another list here does not compile. */
export const STANDARD_SIZES: typeof MeasuredSizes = ["0.5", "1", "2", "5", "10", "50"];
export type StandardSize = (typeof STANDARD_SIZES)[number];
