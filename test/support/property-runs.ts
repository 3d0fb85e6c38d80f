/** How many cases a test draws: so many, times PROPERTY_RUNS where it is set (as at the end of `.ci/run`). */
export function propertyRuns(count: number): number {
  const { PROPERTY_RUNS: factor } = process.env;
  return count * (factor === undefined ? 1 : Number(factor));
}
