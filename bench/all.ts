import type { Scenario } from "./scenario.ts";

/** Every row of performance.md section 7 that is a pair of contenders, in its order. */
export const SCENARIOS: readonly Scenario[] = [];
