import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf } from "#test/support/markets/markets.ts";
import { randomPool } from "#test/support/markets/random-pools.ts";
import { priceMarket } from "../market/priced-market.ts";
import { exitLanes } from "./exit-lane.ts";

/** The largest distance of a payment, up to so many units, from the lowest concave curve above all payments. */
function belowConcaveCurve(pool: QuotablePool, units: number): number {
  const paid = Array.from({ length: units + 1 }, (_, unit) =>
    unit === 0 ? 0 : Number(pool.quote(BigInt(unit)) ?? 0n),
  );
  const corners: number[] = [];
  const slope = (from: number, to: number) => ((paid[to] ?? 0) - (paid[from] ?? 0)) / (to - from);
  for (let unit = 0; unit <= units; unit++) {
    for (;;) {
      const [before, last] = corners.slice(-2);
      if (before === undefined || last === undefined) break;
      if (slope(before, last) > slope(last, unit)) break;
      corners.pop();
    }
    corners.push(unit);
  }
  let most = 0;
  for (const [index, to] of corners.entries()) {
    const from = corners[index - 1] ?? 0;
    for (let unit = from + 1; unit < to; unit++) {
      most = Math.max(
        most,
        (paid[from] ?? 0) + slope(from, to) * (unit - from) - (paid[unit] ?? 0),
      );
    }
  }
  return most;
}

test("no payment is farther below a concave curve than the rounding that is counted for its pool", () => {
  const random = seededRandom(25);
  let nearest = 0;
  for (let set = 0; set < 150; set++) {
    const pool = randomPool(random, between(random, 50, 1e3));
    const [own] = exitLanes(priceMarket(marketOf([pool])).open, []);
    const rounding = own?.lane.rounding ?? 0;
    const below = belowConcaveCurve(pool, 4_000);
    assert.ok(below <= rounding, `set ${set}: ${below} of ${rounding}`);
    nearest = Math.max(nearest, below / rounding);
  }
  assert.ok(nearest > 0.9, `the limit is never near: ${nearest}`);
});
