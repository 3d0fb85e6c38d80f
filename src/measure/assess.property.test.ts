import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import { USDC } from "#src/units/known-addresses.ts";
import { marketOf, PLAIN_TOKEN, usdcPool } from "#test/support/markets/markets.ts";
import { randomPool } from "#test/support/markets/random-pools.ts";
import { assess } from "./assess.ts";
import { STANDARD_SIZES } from "./assessment.ts";
import { slippageAtSize } from "./ladder.ts";
import type { Market } from "./market/market.ts";
import { exitAt } from "./questions/exit-at.ts";

/** One to three pools of random kinds, some of them quoted in USDC, which has a SOL pool of its own. */
const market = fc.integer({ min: 0, max: 2 ** 31 }).map((seed): Market => {
  const random = seededRandom(seed);
  const price = between(random, 1e-5, 1e2);
  const pools = Array.from({ length: 1 + Math.floor(3 * random()) }, () => {
    if (random() < 0.7) return randomPool(random, price);
    return { ...randomPool(random, price / 5), quoteMint: USDC };
  });
  const hopPools = [usdcPool(between(random, 100, 50_000))];
  return marketOf(pools, { token: { ...PLAIN_TOKEN, supply: 2n ** 64n - 1n }, hopPools });
});
const profile = fc.constantFrom("retail" as const, "pro" as const);

// Not "the more it sells, the more it loses": where a pool bids above the market, a larger sale gains more there.
test("a larger sale never pays more for each SOL of its position", () => {
  const size = fc.bigInt({ min: 10_000_000n, max: 1_000_000_000_000n });
  fc.assert(
    fc.property(market, profile, size, size, (of, who, a, b) => {
      const [small, large] = [exitAt(of, a < b ? a : b, who), exitAt(of, a < b ? b : a, who)];
      if (large.kind !== "sold") return;
      assert.ok(small.kind === "sold");
      // A position is whole units, of up to 100 lamports each here; and the split is within 0.001 %
      // of the optimum: so far the smaller sale may look dearer.
      const slack = 200n + (who === "pro" ? small.paidLamports / 50_000n : 0n);
      const [least, paid] = [small.paidLamports + slack, large.paidLamports];
      assert.ok(least * large.sizeLamports >= paid * small.sizeLamports, `${least}, ${paid}`);
    }),
    { numRuns: 150 },
  );
});

test("a sale never pays more than the pools hold, nor pro less than retail", () => {
  fc.assert(
    fc.property(market, (of) => {
      const { measurement } = assess(of);
      assert.ok(measurement);
      for (const size of STANDARD_SIZES) {
        const retail: number | null = slippageAtSize(measurement.retail, size);
        const pro: number | null = slippageAtSize(measurement.pro, size);
        if (retail !== null) assert.ok(pro !== null && pro <= retail);
        if (pro === null) continue;
        const paid: number = Number(size) * 1e9 * (1 - pro / 100);
        assert.ok(paid <= Number(measurement.depthLamports) + 1);
      }
    }),
    { numRuns: 150 },
  );
});

test("a score lies between 0 and 100, and a capacity between 0 and 1000 SOL", () => {
  fc.assert(
    fc.property(market, (of) => {
      const { measurement } = assess(of);
      assert.ok(measurement);
      for (const { score } of [measurement.retail, measurement.pro]) {
        assert.ok(score >= 0 && score <= 100);
      }
      assert.ok(measurement.c10Sol >= 0 && measurement.c10Sol <= 1_000);
    }),
    { numRuns: 100 },
  );
});
