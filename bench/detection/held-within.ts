/** How many of the changes lie within a range, its ends included. */
export function heldWithin(changes: Float64Array, from: number, to: number): number {
  let held = 0;
  for (const change of changes) if (change >= from && change <= to) held++;
  return held;
}
