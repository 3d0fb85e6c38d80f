import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { largestByScan } from "#test/support/markets/largest-by-scan.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { randomMarket } from "#test/support/markets/random-markets.ts";
import { exitAt, exitOfBaseUnits } from "./exit-at.ts";
import { type ExitWithin, exitWithin } from "./max-cost.ts";

const LIMITS_PPM = [2_000n, 10_000n, 30_000n, 100_000n, 250_000n, 600_000n] as const;

function soldBy({ exit }: ExitWithin): bigint {
  return exit.kind === "sold" ? exit.baseUnitsSold : 0n;
}

for (const seed of [1, 2]) {
  test(`the largest sale within a cost keeps it, grows with it and is what a scan of sizes finds (seed ${seed})`, () => {
    const random = seededRandom(seed);
    for (let set = 0; set < 60; set++) {
      const market = randomMarket(random);
      const profile = set % 2 === 0 ? "pro" : "retail";
      let smaller = 0n;
      for (const limit of LIMITS_PPM) {
        const found = exitWithin(market, limit, profile);
        const position = soldBy(found);
        assert.ok(position >= smaller, `set ${set} at ${limit}`);
        smaller = position;
        if (found.exit.kind === "sold") {
          const { sizeLamports, paidLamports } = found.exit;
          assert.ok((sizeLamports - paidLamports) * 1_000_000n <= limit * sizeLamports);
          assert.deepEqual(exitOfBaseUnits(market, position, profile), found.exit);
          assert.deepEqual(
            exitAt(market, sizeLamports, profile),
            found.exit,
            "the size is asked for",
          );
        }
      }
      const limit = LIMITS_PPM[set % LIMITS_PPM.length] ?? 100_000n;
      const scanned = largestByScan(market, limit, profile);
      const found = soldBy(exitWithin(market, limit, profile));
      assert.ok(found + 1n + scanned / 1_000_000n >= scanned, `set ${set}: ${found} < ${scanned}`);
    }
  });
}

test("what stops a larger sale is the cost, the liquidity, the supply or the largest size", () => {
  const whole = exitWithin(marketOf([poolOfSol(100)]), 100_000n, "retail");
  assert.equal(whole.limitedBy, "cost");
  const short = poolOfSol(100, 0.001, { realQuote: SOL });
  assert.equal(exitWithin(marketOf([short]), 500_000n, "retail").limitedBy, "liquidity");
  const scarce = marketOf([poolOfSol(100)], { token: { ...PLAIN_TOKEN, supply: 10n ** 9n } });
  const all = exitWithin(scarce, 100_000n, "retail");
  assert.deepEqual([all.limitedBy, soldBy(all)], ["supply", 10n ** 9n]);
  const plenty = { ...PLAIN_TOKEN, supply: 10n ** 18n };
  const deep = exitWithin(marketOf([poolOfSol(1e6)], { token: plenty }), 100_000n, "retail");
  assert.deepEqual([deep.limitedBy, soldBy(deep)], ["size", 1_000n * SOL * 1_000n]);
});

test("where the largest size is the limit it is reported whole, however many units a lamport buys", () => {
  const plenty = { ...PLAIN_TOKEN, supply: 10n ** 19n };
  for (const unitLamports of [0.001, 0.000_7, 0.3, 0.999, 1]) {
    const deep = marketOf([poolOfSol(1e6, unitLamports)], { token: plenty });
    const { exit, limitedBy } = exitWithin(deep, 100_000n, "retail");
    assert.ok(exit.kind === "sold");
    assert.deepEqual([limitedBy, exit.sizeLamports], ["size", 1_000n * SOL], `${unitLamports}`);
  }
});

test("without a size within the cost the answer says which: above the cost, refused, or blocked", () => {
  const reasonOf = ({ exit }: ExitWithin) => (exit.kind === "sold" ? null : exit.reason);
  const dear = marketOf([poolOfSol(100, 0.001, { feePpm: 50_000 })]);
  assert.equal(reasonOf(exitWithin(dear, 40_000n, "pro")), "above-max-cost");
  assert.equal(
    reasonOf(exitWithin(marketOf([], { isSearchComplete: false }), 40_000n, "pro")),
    "blocked",
  );
  const dearest = marketOf([poolOfSol(1e6, 1e13)]);
  assert.equal(reasonOf(exitWithin(dearest, 40_000n, "pro")), "too-small");
});
