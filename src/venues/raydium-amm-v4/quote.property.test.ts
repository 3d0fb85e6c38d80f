import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { ammFixture } from "#test/support/pools/raydium-pools.ts";
import { raydiumAmmV4 } from "./adapter.ts";
import { reserveOf } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
const small = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
const fee = fc.tuple(fc.integer({ min: 0, max: 9_999 }), fc.constant(10_000));

const poolAndMints = fc
  .record({ coinVault: fc.oneof(amount, small), pcVault: fc.oneof(amount, small), fee })
  .map(({ coinVault, pcVault, fee: [numerator, denominator] }) => {
    const { pool, mintA, mintB, accounts } = ammFixture({
      coinVault,
      pcVault,
      swapFeeNumerator: BigInt(numerator),
      swapFeeDenominator: BigInt(denominator),
    });
    const state = decodedState(raydiumAmmV4, pool, accounts);
    return { state, mintA, mintB };
  });

test("a sale pays less than the reserve, and more in is never less out", () => {
  fc.assert(
    fc.property(poolAndMints, small, small, ({ state, mintA }, first, more) => {
      const sell = (amountIn: bigint) =>
        raydiumAmmV4.quoteExactIn(state, { inputMint: mintA, amountIn, clock: CLOCK });
      const less = sell(first);
      const greater = sell(first + more);
      if (less.kind !== "filled") return;
      assert.ok(less.amountOut < reserveOf(state.pc));
      assert.ok(greater.kind === "filled" && greater.amountOut >= less.amountOut);
    }),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(poolAndMints, small, ({ state, mintA, mintB }, amountIn) => {
      const there = raydiumAmmV4.quoteExactIn(state, { inputMint: mintA, amountIn, clock: CLOCK });
      if (there.kind !== "filled") return;
      const back = raydiumAmmV4.quoteExactIn(there.after, {
        inputMint: mintB,
        amountIn: there.amountOut,
        clock: CLOCK,
      });
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("any damage to the accounts gives a pool or a reason", () => {
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      const { pool, accounts } = ammFixture({ coinVault: 1n << 40n, pcVault: 1n << 41n });
      assertSurvives(raydiumAmmV4, pool, mutated(accounts, mutations), CLOCK);
    }),
    { numRuns: 300 },
  );
});
