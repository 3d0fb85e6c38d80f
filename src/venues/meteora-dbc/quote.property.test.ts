import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import { divCeil, divFloor } from "#src/units/integer.ts";
import {
  BASE_MINT,
  CLOCK,
  type DbcPool,
  dbcAccounts,
  POOL,
  QUOTE_MINT,
} from "#test/support/pools/dbc-pool.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import type { Account } from "../account-set.ts";
import { meteoraDbc } from "./adapter.ts";
import { swapExactIn } from "./quote.ts";
import type { DbcState } from "./state.ts";

const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n });
const mints = fc.constantFrom(BASE_MINT, QUOTE_MINT);
const pools: fc.Arbitrary<DbcPool> = fc.record({
  config: fc.record({
    collects: fc.constantFrom("quote" as const, "output" as const),
    creatorTradingFeePercent: fc.integer({ min: 0, max: 100 }),
    curve: fc
      .array(fc.record({ width: fc.bigInt(1n, 1n << 56n), liquidity: fc.bigInt(1n, 1n << 108n) }), {
        minLength: 1,
        maxLength: 16,
      })
      .map((stretches) => {
        let sqrtPrice = 100_000_000_000_000_000n;
        return stretches.map(({ width, liquidity }) => {
          sqrtPrice += width;
          return { sqrtPrice, liquidity };
        });
      }),
  }),
  state: fc.record({
    sqrtPrice: fc.bigInt(100_000_000_000_000_000n, 400_000_000_000_000_000n),
    quoteReserve: fc.bigInt(0n, 84_000_000_000n),
  }),
});

function stateOf(pool: DbcPool): DbcState {
  const found = meteoraDbc.decode(POOL, dbcAccounts(pool));
  assert.ok(found.kind === "pool");
  return found.state;
}

test("a filled sale pays at most the quote reserve, and takes it from there", () => {
  fc.assert(
    fc.property(pools, amounts, (pool, amountIn) => {
      const state = stateOf(pool);
      const quote = meteoraDbc.quoteExactIn(state, {
        inputMint: BASE_MINT,
        amountIn,
        clock: CLOCK,
      });
      if (quote.kind === "unfillable") return;
      assert.ok(quote.amountOut <= state.quoteReserve);
      assert.ok(quote.after.quoteReserve <= state.quoteReserve - quote.amountOut);
    }),
  );
});

test("more in never pays less", () => {
  fc.assert(
    fc.property(pools, mints, amounts, amounts, (pool, inputMint, amountIn, more) => {
      const state = stateOf(pool);
      const order = { inputMint, clock: CLOCK };
      const small = meteoraDbc.quoteExactIn(state, { ...order, amountIn });
      const large = meteoraDbc.quoteExactIn(state, { ...order, amountIn: amountIn + more });
      if (small.kind === "unfillable" || large.kind === "unfillable") return;
      assert.ok(large.amountOut >= small.amountOut);
    }),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(pools, mints, amounts, (pool, inputMint, amountIn) => {
      const there = meteoraDbc.quoteExactIn(stateOf(pool), { inputMint, amountIn, clock: CLOCK });
      if (there.kind === "unfillable") return;
      const back = meteoraDbc.quoteExactIn(there.after, {
        inputMint: inputMint === BASE_MINT ? QUOTE_MINT : BASE_MINT,
        amountIn: there.amountOut,
        clock: CLOCK,
      });
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("a swap takes, before fees, what is reachable until the price where it stops", () => {
  fc.assert(
    fc.property(pools, mints, amounts, (pool, inputMint, amountIn) => {
      const state = stateOf(pool);
      const result = swapExactIn(state, { inputMint, amountIn, clock: CLOCK });
      const spot = meteoraDbc.spotPrice(state, inputMint);
      if (result.kind === "unfillable" || spot === null) return;
      const { after, amountOut, tradingFee, protocolFee, isBuy } = result.swap;
      const isFeeInInput = isBuy && state.config.collects === "quote";
      const taken = amountOut + (isFeeInInput ? 0n : tradingFee + protocolFee);
      const square = after.sqrtPrice ** 2n;
      const [begun, stopped] = isBuy ? [square, spot.denominator] : [spot.numerator, square];
      const fallBps = (divide: typeof divFloor) =>
        Number(divide(10_000n * (begun - stopped), begun));
      const reachable = (fall: number) => meteoraDbc.reachable(state, inputMint, fall);
      assert.ok(reachable(fallBps(divFloor)) <= taken);
      assert.ok(taken <= reachable(fallBps(divCeil)));
    }),
    { numRuns: 500 },
  );
});

test("any bytes in any account give a pool or a reason, and every question an answer", () => {
  const accounts = new Map<Address, Account>();
  for (const [at, account] of dbcAccounts({})) if (account !== null) accounts.set(at, account);
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 12 }), (mutations) => {
      assertSurvives(meteoraDbc, POOL, mutated(accounts, mutations), CLOCK);
    }),
    { numRuns: 500 },
  );
});
