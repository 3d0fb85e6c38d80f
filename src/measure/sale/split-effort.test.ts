import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { constantProductPool, levelsPool, poolAddress, TOKEN } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import { holdersFirstInParts } from "../questions/holders-first.ts";
import { exitWithin } from "../questions/max-cost.ts";

test("pools quoted in coins that are sold through one another are measured with few quotes", () => {
  const random = seededRandom(1);
  let quotes = 0;
  const pool = (number: number, baseMint: Address, quoteMint: Address): QuotablePool => {
    const lamports = between(random, 1e9, 3e11);
    const made = constantProductPool({
      ...{ number, baseMint, quoteMint, family: "pump", venue: "pumpswap" },
      base: BigInt(Math.round(lamports / (0.97 + 0.06 * random()))),
      quote: BigInt(Math.round(lamports)),
      feePpm: Math.floor(between(random, 100, 30_000)),
    });
    return counted(made, (count) => (quotes += count));
  };
  // The last coin is sold through all the others: five hops.
  const coins = [1, 2, 3, 4, 5].map((number) => poolAddress(500 + number));
  const paidIn = [WSOL, ...coins];
  const pools = Array.from({ length: 12 }, (_, index) =>
    pool(index + 1, TOKEN, paidIn[index % paidIn.length] ?? WSOL),
  );
  const hopPools = coins.map((coin, index) => pool(900 + index, coin, paidIn[index] ?? WSOL));
  const { measurement } = assess(marketOf(pools, { hopPools }));
  assert.ok(measurement !== null);
  assert.ok(quotes < 200_000, `${quotes} quotes`);
  for (const [index, pct] of measurement.retail.slippagesPct.entries()) {
    const split: number | null = measurement.pro.slippagesPct[index] ?? null;
    assert.ok(pct === null || (split !== null && split <= pct));
  }
  assert.ok(measurement.c10Sol > 6.147, `${measurement.c10Sol} SOL`);
});

/** The pool, and what it becomes after a sale, with the number of quotes of each call. */
function counted(pool: QuotablePool, count: (quotes: number) => void): QuotablePool {
  const counting =
    <A, B>(ask: (amount: A) => B) =>
    (amount: A): B => {
      count(Array.isArray(amount) ? amount.length : 1);
      return ask(amount);
    };
  const sell = counting(pool.sell);
  return {
    ...pool,
    quote: counting(pool.quote),
    quoteAscending: counting(pool.quoteAscending),
    sell: (amount) => {
      const sale = sell(amount);
      return sale.kind === "filled" ? { ...sale, after: counted(sale.after, count) } : sale;
    },
  };
}

/** Pools of dust over chained coins: many searches inside one another, for next to no liquidity. */
function nestedDust(): {
  readonly pools: readonly QuotablePool[];
  readonly hopPools: readonly QuotablePool[];
} {
  const random = seededRandom(1);
  const dust = (
    number: number,
    pair: { readonly baseMint: Address; readonly quoteMint: Address },
    { sol, price }: { readonly sol: number; readonly price: number },
  ): QuotablePool => {
    const steps = 60;
    const quote = BigInt(Math.round((sol * 1e9) / steps));
    const levels = Array.from({ length: steps }, (_, step) => ({
      price: price * (1 - 0.004 * step),
      quote,
    }));
    return levelsPool({ number, ...pair, feePpm: Math.floor(random() * 10_000), levels });
  };
  const coins = [1, 2, 3, 4].map((number) => poolAddress(500 + number));
  const hopPools = coins.map((coin, index) => {
    const quoteMint = coins[Math.floor(random() * index)] ?? WSOL;
    const pair = { baseMint: coin, quoteMint: index === 0 ? WSOL : quoteMint };
    return dust(900 + index, pair, { sol: 10 ** (-3 + 1.5 * random()), price: 1 });
  });
  const pools = Array.from({ length: 26 }, (_, index) => {
    const pair = { baseMint: TOKEN, quoteMint: coins[index % coins.length] ?? WSOL };
    const price = 0.001 * between(random, 0.97, 1.03);
    return dust(100 + index, pair, { sol: between(random, 1e-4, 2e-4), price });
  });
  return { pools, hopPools };
}

test("pools of dust that spend the effort do not lower what the others pay", () => {
  const honest = [1, 2].map((number) => poolOfSol(50, 0.001, { number }));
  const coin = poolAddress(700);
  const behindHop = [3, 4].map((number) =>
    constantProductPool({
      ...{ number, baseMint: TOKEN, quoteMint: coin, feePpm: 2_500 },
      ...{ base: 40_000_000_000_000n, quote: 40_000_000_000n },
    }),
  );
  const hop = constantProductPool({
    ...{ number: 990, baseMint: coin, quoteMint: WSOL, feePpm: 2_500 },
    ...{ base: 500_000_000_000n, quote: 500_000_000_000n },
  });
  const dust = nestedDust();
  for (const pools of [honest, [...honest.slice(1), ...behindHop]]) {
    const alone = assess(marketOf(pools, { hopPools: [hop] })).measurement;
    const market = marketOf([...pools, ...dust.pools], { hopPools: [hop, ...dust.hopPools] });
    const attacked = assess(market).measurement;
    assert.ok(alone !== null && attacked !== null);
    assert.ok(attacked.c10Sol >= alone.c10Sol * 0.999, `${attacked.c10Sol} < ${alone.c10Sol}`);
    for (const [index, pct] of alone.pro.slippagesPct.entries()) {
      const now: number | null = attacked.pro.slippagesPct[index] ?? null;
      assert.ok(pct !== null && now !== null && now <= pct + 0.001, `${now} > ${pct}`);
    }
  }
});

test("one question that splits dozens of positions takes few quotes, and a part of it very few", () => {
  let quotes = 0;
  const count = (more: number): void => {
    quotes += more;
  };
  const honest = [1, 2].map((number) => poolOfSol(50, 0.001, { number }));
  const dust = nestedDust();
  const market = marketOf(
    [...honest, ...dust.pools].map((pool) => counted(pool, count)),
    { hopPools: dust.hopPools.map((pool) => counted(pool, count)) },
  );
  const { exit } = exitWithin(market, 100_000n, "pro");
  assert.ok(exit.kind === "sold");
  assert.ok(quotes < 100_000, `${quotes} quotes`);
  const sellers = Array.from({ length: 20 }, (_, index) => ({
    owner: poolAddress(index + 1),
    baseUnits: 1_000_000_000_000n,
  }));
  const listed = { supply: 10n ** 18n, excluded: [], unlisted: 0n, slot: 1n };
  const holders = { kind: "known", sellers, ...listed } as const;
  const now = assess(market);
  quotes = 0;
  let [all, most] = [0, 0];
  const parts = holdersFirstInParts(market, { holders, now });
  for (let isDone = false; !isDone; quotes = 0) {
    isDone = parts.next().done === true;
    most = Math.max(most, quotes);
    all += quotes;
  }
  assert.ok(most < 5_000, `${most} quotes in one part`);
  assert.ok(all < 150_000, `${all} quotes`);
});
