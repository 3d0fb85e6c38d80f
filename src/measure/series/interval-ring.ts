/** Where a ring of values lies in an array: one place for each interval modulo their number. */
export type Ring = { readonly start: number; readonly length: number };

/**
 * Writes what intervals that have ended leave in a ring: `first` is the value of the interval `from`, `rest` that
 * of each one after it, before `to`.
 */
export function shiftRing(
  array: number[],
  { start, length }: Ring,
  { from, to }: { readonly from: number; readonly to: number },
  { first, rest }: { readonly first: number; readonly rest: number },
): void {
  array[start + (from % length)] = first;
  for (let interval = Math.max(from + 1, to - length); interval < to; interval++)
    array[start + (interval % length)] = rest;
}
