import type { QuotablePool } from "#src/venues/quotable-pool.ts";

/**
 * What `amountIn` pays over pools when it is sold in so many parts, each where it pays the most: the
 * optimum wherever prices only fall, but for the size of a part. Null where they can't take it whole.
 */
export function bruteForceSplit(
  pools: readonly QuotablePool[],
  amountIn: bigint,
  parts = 1_000n,
): bigint | null {
  const part = amountIn / parts;
  const sold = pools.map(() => 0n);
  const paid = pools.map(() => 0n);
  const next = (index: number, amount: bigint) =>
    pools[index]?.quote((sold[index] ?? 0n) + amount) ?? null;
  const ahead = pools.map((_, index) => next(index, part));
  let left = amountIn;
  while (left > 0n) {
    const amount = left < part ? left : part;
    let best = -1;
    let gain = -1n;
    pools.forEach((_, index) => {
      const total = amount === part ? (ahead[index] ?? null) : next(index, amount);
      const own = total === null ? -1n : total - (paid[index] ?? 0n);
      if (own > gain) {
        gain = own;
        best = index;
      }
    });
    if (best < 0) return null;
    paid[best] = (paid[best] ?? 0n) + gain;
    sold[best] = (sold[best] ?? 0n) + amount;
    ahead[best] = next(best, part);
    left -= amount;
  }
  return paid.reduce((sum, amount) => sum + amount, 0n);
}
