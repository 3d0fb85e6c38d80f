import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { bruteForceSplit } from "#test/support/markets/brute-force.ts";
import { randomPool } from "#test/support/markets/random-pools.ts";
import { constantProductPool, levelsPool } from "#test/support/pools/pools.ts";
import { CALIBRATION } from "../calibration.ts";
import { sampleLane } from "./lane.ts";
import { bestSplit, type Split } from "./split.ts";

function splitOver(
  pools: readonly QuotablePool[],
  amountIn: bigint,
  { rounding = 0, gap = 1e-5 } = {},
): Split | null {
  const start = [200n, 50n, 12n, 4n, 2n].map((part) => amountIn / part).filter((part) => part > 0n);
  const lanes = pools.map((pool) => {
    const spot = pool.spotPrice;
    const steepest = spot === null ? 0 : ratioToNumber(spot.numerator, spot.denominator);
    return sampleLane({ steepest, rounding, quoteAscending: pool.quoteAscending }, start);
  });
  return bestSplit(lanes, amountIn, { gap, mostEffort: CALIBRATION.split.mostEffort });
}

function exactlyPaid(pools: readonly QuotablePool[], split: Split): bigint {
  return pools.reduce((sum, pool, index) => {
    const amountIn = split.amountsIn[index] ?? 0n;
    const paid = amountIn === 0n ? 0n : pool.quote(amountIn);
    assert.ok(paid !== null);
    return sum + paid;
  }, 0n);
}

for (const seed of [1, 2, 3, 4]) {
  test(`random sets of up to four mixed pools are split within 0.01 % of brute force (seed ${seed})`, () => {
    const random = seededRandom(seed);
    for (let set = 0; set < 30; set++) {
      const price = set % 2 === 0 ? 1 : between(random, 1e-6, 1e3);
      const count = 2 + Math.floor(3 * random());
      const pools = Array.from({ length: count }, () => randomPool(random, price));
      const amountIn = BigInt(Math.floor((between(random, 0.5, 500) * 1e9) / price));
      const brute = bruteForceSplit(pools, amountIn);
      const split = splitOver(pools, amountIn);
      if (brute === null) continue;
      assert.ok(split !== null, `set ${set}`);
      assert.equal(
        split.amountsIn.reduce((sum, amount) => sum + amount, 0n),
        amountIn,
      );
      assert.equal(split.paid, exactlyPaid(pools, split));
      assert.ok(split.paid * 10_000n >= brute * 9_999n, `set ${set}: ${split.paid} < ${brute}`);
      for (const pool of pools) assert.ok(split.paid >= (pool.quote(amountIn) ?? 0n));
    }
  });
}

test("what no pool can take alone is sold over several, down to the last reachable lamport", () => {
  const half = (number: number) =>
    constantProductPool({
      number,
      base: 10n ** 15n,
      quote: 10n ** 12n,
      realQuote: 6n * 10n ** 9n,
    });
  const pools = [half(1), half(2)];
  const amountIn = 11n * 10n ** 12n;
  assert.equal(pools[0]?.quote(amountIn), null);
  const split = splitOver(pools, amountIn);
  assert.ok(split !== null);
  assert.equal(split.paid, exactlyPaid(pools, split));
  assert.equal(splitOver(pools, 13n * 10n ** 12n), null);
  // Each takes 6.0513 million million units at most.
  assert.ok(splitOver(pools, 12_100n * 10n ** 9n) !== null);
});

test("a position of one unit goes to the pool that pays the most for it", () => {
  const cheap = constantProductPool({ base: 10n ** 6n, quote: 10n ** 12n, feePpm: 0 });
  const dear = constantProductPool({ base: 10n ** 6n, quote: 10n ** 13n, feePpm: 0 });
  assert.deepEqual(splitOver([cheap, dear], 1n), { amountsIn: [0n, 1n], paid: dear.quote(1n) });
});

/** The largest payment of any split over two pools, found by trying every split. */
function bestOfAll([first, second]: readonly QuotablePool[], amountIn: bigint): bigint {
  let best = 0n;
  for (let own = 0n; own <= amountIn; own++) {
    const paid = own === 0n ? 0n : (first?.quote(own) ?? 0n);
    const rest = own === amountIn ? 0n : (second?.quote(amountIn - own) ?? 0n);
    if (paid + rest > best) best = paid + rest;
  }
  return best;
}

/** The largest payment of two pools for the amount. Apart from rounding, their common payment has one peak. */
function bestOfTwo([first, second]: readonly QuotablePool[], amountIn: bigint): bigint {
  const paidAt = (own: bigint): bigint => {
    const paid = own === 0n ? 0n : (first?.quote(own) ?? null);
    const rest = own === amountIn ? 0n : (second?.quote(amountIn - own) ?? null);
    return paid === null || rest === null ? 0n : paid + rest;
  };
  let [from, to] = [0n, amountIn];
  while (to - from > 1_000n) {
    const third = (to - from) / 3n;
    if (paidAt(from + third) < paidAt(to - third)) from += third;
    else to -= third;
  }
  return paidAt((from + to) / 2n);
}

test("a split of an answer misses no payment where the best part of a pool ends at a price level", () => {
  const random = seededRandom(3);
  for (let set = 0; set < 400; set++) {
    const lamports = between(random, 1e10, 1e12);
    const price = 0.01;
    const nextPrice = price * (1 - between(random, 0.001, 0.05));
    const above = between(random, 0.0005, 0.02);
    const quote = BigInt(Math.round(lamports));
    const base = lamports / (nextPrice * (1 + above));
    const levels = [
      { price, quote: quote / 20n },
      { price: nextPrice, quote },
    ];
    const pools = [
      levelsPool({ number: 1, levels }),
      constantProductPool({ number: 2, base: BigInt(Math.round(base)), quote }),
    ];
    // Selling half of `above` of its base lowers the second pool's price to the second level's.
    const atLevel = lamports / 20 / price + ((base * above) / 2) * between(random, 0.9, 1.4);
    const amountIn = BigInt(Math.floor(atLevel));
    const split = splitOver(pools, amountIn, { rounding: 5, gap: 1e-8 });
    const best = bestOfTwo(pools, amountIn);
    const paid = split?.paid ?? 0n;
    assert.ok(best - paid <= 12n + best / 50_000_000n, `set ${set}: ${paid} < ${best}`);
  }
});

test("a drained pool of a high price does not multiply the quotes of a split, and is used for what it pays", () => {
  const deep = [60n, 66n].map((sol, index) =>
    constantProductPool({ number: index, base: 10n ** 14n, quote: sol * 10n ** 9n }),
  );
  const amountIn = 27n * 10n ** 12n;
  const deepAlone = splitOver(deep, amountIn, { rounding: 5 })?.paid ?? 0n;
  // A base unit pays a thousand times as much as in the deep pools, for at most this many lamports.
  for (const lamports of [1n, 10n ** 7n]) {
    const drained = constantProductPool({ number: 3, base: lamports, quote: lamports });
    let quotes = 0;
    const counted = [...deep, drained].map((pool) => ({
      ...pool,
      quoteAscending: (amountsIn: readonly bigint[]) => {
        quotes += amountsIn.length;
        // Some programs refuse an amount that is far larger than the pool.
        const isDwarfed = pool === drained && amountsIn.some((amount) => amount > 10n * lamports);
        return isDwarfed ? amountsIn.map(() => null) : pool.quoteAscending(amountsIn);
      },
    }));
    const paid = splitOver(counted, amountIn, { rounding: 5 })?.paid ?? 0n;
    assert.ok(quotes <= 80, `${quotes} quotes with a pool of ${lamports} lamports`);
    const least = deepAlone + lamports / 2n;
    assert.ok(paid * 100_000n >= least * 99_998n, `${paid} < ${least}`);
  }
});

test("where rounding is all that is left of the bound, many sizes ask for few quotes and pay the best to a unit", () => {
  const pools = [200_000_000n, 210_000_000n].map((quote, index) =>
    constantProductPool({ number: index, base: 10_000n, quote }),
  );
  let quotes = 0;
  // A unit is worth 20,000 lamports, so that each pool's rounding is two thousandths of the sale.
  const lanes = pools.map(({ quoteAscending }) => {
    const counted = (amountsIn: readonly bigint[]) => {
      quotes += amountsIn.length;
      return quoteAscending(amountsIn);
    };
    return sampleLane({ steepest: 21_000, rounding: 40_000, quoteAscending: counted }, [50n, 500n]);
  });
  for (let amountIn = 6_000n; amountIn <= 7_000n; amountIn += 40n) {
    const paid = bestSplit(lanes, amountIn)?.paid ?? 0n;
    assert.ok(paid >= bestOfAll(pools, amountIn) - 20_000n, `${amountIn}`);
  }
  assert.ok(quotes <= 70 * 26, `${quotes} quotes for 26 sizes`);
});
