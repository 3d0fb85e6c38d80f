/** Number of random cases of a test: `count`, times PROPERTY_RUNS if it is set (as in `.ci/run`). */
export function propertyRuns(count: number): number {
  const { PROPERTY_RUNS: factor } = process.env;
  return count * (factor === undefined ? 1 : Number(factor));
}
