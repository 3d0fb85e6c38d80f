import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, PLAIN_TOKEN } from "#test/support/markets/markets.ts";
import { randomPool } from "#test/support/markets/random-pools.ts";
import { constantProductPool, poolAddress } from "#test/support/pools/pools.ts";
import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "../assessment.ts";
import { priceMarket } from "../market/priced-market.ts";
import { exitOfBaseUnits } from "../questions/exit-at.ts";
import { positionOf } from "../slippage.ts";
import { bestPossibleLamports } from "./split-bound.ts";

/** The largest payment of any split of the units over two pools, found by trying every split. */
function bestOfAll([first, second]: readonly QuotablePool[], units: bigint): bigint {
  let best = 0n;
  for (let own = 0n; own <= units; own++) {
    const paid = own === 0n ? 0n : (first?.quote(own) ?? null);
    const rest = own === units ? 0n : (second?.quote(units - own) ?? null);
    if (paid !== null && rest !== null && paid + rest > best) best = paid + rest;
  }
  return best;
}

test("a bound below what the split pays is not proved", () => {
  const reserves = { base: 10n ** 15n, quote: 10n ** 12n };
  const pools = [1, 2].map((number) => constantProductPool({ ...reserves, number }));
  const market = marketOf(pools);
  const exit = exitOfBaseUnits(market, 10n ** 12n, "pro");
  const { open } = priceMarket(market);
  assert.ok(exit.kind === "sold");
  const { routes, paidLamports } = exit;
  const bounded = { open, token: PLAIN_TOKEN, samples: [10n ** 11n] };
  const bound = bestPossibleLamports({ ...bounded, routes });
  assert.ok(bound !== null && bound >= paidLamports);
  // A quote that rounds by more than was declared can pay more than the bound allows.
  const contradicted = routes.map((route) => ({
    ...route,
    paidLamports: route.paidLamports + route.paidLamports / 1_000n,
  }));
  assert.equal(bestPossibleLamports({ ...bounded, routes: contradicted }), null);
});

test("no split of a few base units pays more than the bound, and the found split is below it only by rounding", () => {
  const random = seededRandom(24);
  let bounded = 0;
  for (let set = 0; set < 300; set++) {
    const price = between(random, 100, 1e6);
    const pools = [1, 2].map((number) => ({
      ...randomPool(random, price),
      address: poolAddress(number),
    }));
    const market = marketOf(pools, { token: { ...PLAIN_TOKEN, supply: 10n ** 15n } });
    const units = BigInt(Math.floor(between(random, 2, 3_000)));
    const exit = exitOfBaseUnits(market, units, "pro");
    const { open, midPrice } = priceMarket(market);
    if (exit.kind !== "sold" || open.length < 2 || midPrice === null) continue;
    const samples = STANDARD_SIZES.map((size) =>
      positionOf(STANDARD_SIZE_LAMPORTS[size], midPrice),
    );
    const { routes, paidLamports } = exit;
    const token = market.token ?? PLAIN_TOKEN;
    const bound = bestPossibleLamports({ open, token, routes, samples });
    if (bound === null) continue;
    bounded++;
    const best = bestOfAll(pools, units);
    assert.ok(bound >= best, `set ${set}: ${bound} < ${best}`);
    assert.ok(paidLamports <= best, `set ${set}: ${paidLamports} > ${best}`);
    // A base unit and four lamports of each pool, and the gap at which the search stops.
    const rounding = 2 * (4 + price * 1.04) + Number(best) * 1e-5;
    assert.ok(Number(bound - best) <= 2 * rounding, `set ${set}: ${bound} against ${best}`);
    assert.ok(Number(best - paidLamports) <= rounding, `set ${set}: ${paidLamports} of ${best}`);
  }
  assert.ok(bounded > 150, `only ${bounded}`);
});

test("over two deep pools the bound of some ten thousand units is at most a unit above the best split", () => {
  const random = seededRandom(26);
  for (let set = 0; set < 12; set++) {
    const price = between(random, 300, 1_000);
    const lamports = between(random, 1e12, 1e13);
    // After their fees the pools start at one price: both are used.
    const pools = [1, 2].map((number) => {
      const feePpm = Math.floor(between(random, 1_000, 10_000));
      const base = (lamports * (1 - feePpm / 1_000_000)) / price;
      const [whole, quote] = [BigInt(Math.round(base)), BigInt(Math.round(lamports))];
      return constantProductPool({ number, base: whole, quote, feePpm });
    });
    const market = marketOf(pools, { token: { ...PLAIN_TOKEN, supply: 10n ** 15n } });
    const units = BigInt(Math.floor(between(random, 15_000, 40_000)));
    const exit = exitOfBaseUnits(market, units, "pro");
    const { open } = priceMarket(market);
    assert.ok(exit.kind === "sold");
    const bounded = { open, token: PLAIN_TOKEN, samples: [units / 7n] };
    const bound = bestPossibleLamports({ ...bounded, routes: exit.routes });
    const best = bestOfAll(pools, units);
    assert.ok(bound !== null && bound >= best, `set ${set}: ${bound} < ${best}`);
    const above = Number(bound - best) / price;
    // With equal fees, a division of the units can lose up to a unit that the concave curves do not show.
    assert.ok(above <= 1.1, `set ${set}: ${above} units`);
  }
});
