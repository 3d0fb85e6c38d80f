import { between, type Random } from "#src/platform/seeded-random.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { constantProductPool, levelsPool, stableCurvePool } from "../pools/pools.ts";

/**
 * A pool of a random kind near `lamportsPerUnit`: constant product, a stable curve, one range of
 * concentrated liquidity that ends, or bins with gaps; fees from 0.01 % to 3 %.
 */
export function randomPool(random: Random, lamportsPerUnit: number): QuotablePool {
  const price = lamportsPerUnit * (0.97 + 0.06 * random());
  const lamports = between(random, 1e9, 3e12);
  const feePpm = Math.floor(between(random, 100, 30_000));
  const whole = (value: number) => BigInt(Math.round(value));
  switch (Math.floor(4 * random())) {
    case 0:
      return constantProductPool({ base: whole(lamports / price), quote: whole(lamports), feePpm });
    case 1: {
      const virtual = lamports * between(random, 2, 100);
      const base = whole(virtual / price);
      return constantProductPool({
        base,
        quote: whole(virtual),
        realQuote: whole(lamports),
        feePpm,
      });
    }
    case 2: {
      const amplification = whole(between(random, 2, 500));
      // The curve is flat at price 1: only there is it a stable pair.
      if (lamportsPerUnit !== 1) {
        return constantProductPool({
          base: whole(lamports / price),
          quote: whole(lamports),
          feePpm,
        });
      }
      const base = whole(lamports * (0.5 + random()));
      return stableCurvePool({ base, quote: whole(lamports), amplification, feePpm });
    }
    default:
      return levelsPool({ levels: randomLevels(random, price, lamports), feePpm });
  }
}

function randomLevels(random: Random, top: number, lamports: number) {
  const count = 1 + Math.floor(140 * random());
  const step = 1 - between(random, 0.0005, 0.04);
  let price = top;
  return Array.from({ length: count }, () => {
    if (random() < 0.05) price *= 0.6;
    const level = { price, quote: BigInt(Math.round((2 * random() * lamports) / count)) };
    price *= step;
    return level;
  });
}
