import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { marketOf } from "#test/support/markets.ts";
import { constantProductPool, poolAddress, TOKEN } from "#test/support/pools.ts";
import { assess } from "./assess.ts";

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
    const counting =
      <A, B>(ask: (amount: A) => B) =>
      (amount: A): B => {
        quotes += Array.isArray(amount) ? amount.length : 1;
        return ask(amount);
      };
    return {
      ...made,
      quote: counting(made.quote),
      quoteAscending: counting(made.quoteAscending),
      sell: counting(made.sell),
    };
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
