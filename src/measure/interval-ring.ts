/**
 * Values by interval modulo their number, after more intervals have ended: `first` is that of the interval `from`,
 * `rest` that of each one after it, before `to`. The same object if nothing changed, else one copy.
 */
export function shiftRing(
  ring: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
  { first, rest }: { readonly first: number; readonly rest: number },
): readonly number[] {
  let changed: number[] | null = null;
  const note = (interval: number, value: number): void => {
    const place = interval % ring.length;
    if ((changed ?? ring)[place] === value) return;
    changed ??= ring.slice();
    changed[place] = value;
  };
  note(from, first);
  for (let interval = Math.max(from + 1, to - ring.length); interval < to; interval++)
    note(interval, rest);
  return changed ?? ring;
}
