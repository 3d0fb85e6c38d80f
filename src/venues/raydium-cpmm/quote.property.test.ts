import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { cpmmFixture } from "#test/support/pools/raydium-pools.ts";
import { raydiumCpmm } from "./adapter.ts";
import { reserveOf } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
const small = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
const rate = fc.bigInt({ min: 1n, max: 400_000n });
const transferFee = fc
  .record({
    epoch: fc.constant(0n),
    maximum: fc.bigInt({ min: 0n, max: 1_000_000_000n }),
    feeBps: fc.integer({ min: 0, max: 10_000 }),
  })
  .map((fee) => ({ older: fee, newer: fee }));

const poolAndMints = fc
  .record(
    {
      vault0: fc.oneof(amount, small),
      vault1: fc.oneof(amount, small),
      tradeFeeRate: rate,
      creatorFeeRate: rate,
      creatorFeeOn: fc.constantFrom(0 as const, 1 as const, 2 as const),
      isCreatorFeeEnabled: fc.boolean(),
      transferFee0: transferFee,
      transferFee1: transferFee,
    },
    {
      requiredKeys: [
        "vault0",
        "vault1",
        "tradeFeeRate",
        "creatorFeeRate",
        "creatorFeeOn",
        "isCreatorFeeEnabled",
      ],
    },
  )
  .map((fields) => {
    const { pool, mintA, mintB, accounts } = cpmmFixture(fields);
    const state = decodedState(raydiumCpmm, pool, accounts);
    return { state, mintA, mintB };
  });

test("a sale pays less than the reserve, and more in is never less out", () => {
  fc.assert(
    fc.property(poolAndMints, small, small, ({ state, mintA }, first, more) => {
      const sell = (amountIn: bigint) =>
        raydiumCpmm.quoteExactIn(state, { inputMint: mintA, amountIn, clock: CLOCK });
      const less = sell(first);
      const greater = sell(first + more);
      if (less.kind !== "filled") return;
      assert.ok(less.amountOut < reserveOf(state.token1));
      assert.ok(greater.kind === "filled" && greater.amountOut >= less.amountOut);
    }),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(poolAndMints, small, ({ state, mintA, mintB }, amountIn) => {
      const there = raydiumCpmm.quoteExactIn(state, { inputMint: mintA, amountIn, clock: CLOCK });
      if (there.kind !== "filled") return;
      const back = raydiumCpmm.quoteExactIn(there.after, {
        inputMint: mintB,
        amountIn: there.amountOut,
        clock: CLOCK,
      });
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("a swap never takes from what is owed to others, and leaves the product no smaller", () => {
  fc.assert(
    fc.property(poolAndMints, small, ({ state, mintA }, amountIn) => {
      const quote = raydiumCpmm.quoteExactIn(state, { inputMint: mintA, amountIn, clock: CLOCK });
      if (quote.kind !== "filled") return;
      const { token0, token1 } = quote.after;
      assert.ok(
        reserveOf(token0) * reserveOf(token1) >= reserveOf(state.token0) * reserveOf(state.token1),
      );
      assert.ok(token1.creatorFees >= state.token1.creatorFees);
    }),
  );
});

test("any damage to the accounts gives a pool or a reason", () => {
  const fee = { epoch: 900n, maximum: 1n << 40n, feeBps: 100 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      const { pool, accounts } = cpmmFixture({
        vault0: 1n << 40n,
        vault1: 1n << 41n,
        transferFee0: { older: fee, newer: fee },
        isCreatorFeeEnabled: true,
      });
      assertSurvives(raydiumCpmm, pool, mutated(accounts, mutations), CLOCK);
    }),
    { numRuns: 300 },
  );
});
