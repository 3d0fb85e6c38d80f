/**
 * A class of objects whose named fields are the numbers of one array. V8 boxes each double of an ordinary object,
 * and the collector visits each box; an array of doubles is a single object to it. The fields are accessors: a
 * spread or `structuredClone` has none of them, so an object is copied with `new`.
 */
export function numberRecord<const Name extends string>(
  names: readonly Name[],
): new (
  values: Readonly<Record<Name, number>>,
) => Record<Name, number> {
  class NumberRecord {
    readonly numbers: number[];

    constructor(values: Readonly<Record<Name, number>>) {
      this.numbers = names.map((name) => values[name]);
    }
  }
  names.forEach((name, place) => {
    Object.defineProperty(NumberRecord.prototype, name, {
      get(this: NumberRecord) {
        return this.numbers[place];
      },
      set(this: NumberRecord, value: number) {
        this.numbers[place] = value;
      },
    });
  });
  return NumberRecord as new (
    values: Readonly<Record<Name, number>>,
  ) => Record<Name, number>;
}
