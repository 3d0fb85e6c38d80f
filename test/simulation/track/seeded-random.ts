import { seededRandom as seededDraws } from "#src/platform/seeded-random.ts";

/** Choices that a seed decides. */
export type SeededRandom = {
  /** At least 0, below 1. */
  readonly next: () => number;
  /** An integer from 0 to `limit` - 1. */
  readonly below: (limit: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly shuffled: <T>(items: readonly T[]) => readonly T[];
};

export function seededRandom(seed: number): SeededRandom {
  const next = seededDraws(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, rank: next() }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ item }) => item),
  };
}
