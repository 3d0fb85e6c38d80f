import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  CLOCK,
  type DlmmPool,
  dlmmAccounts,
  MINT_X,
  MINT_Y,
  PAIR,
} from "#test/support/pools/dlmm-pool.ts";
import { meteoraDlmm } from "./adapter.ts";
import type { DlmmState } from "./state.ts";

const amounts = fc.bigInt({ min: 0n, max: 10n ** 12n });
const orders = fc.record({
  isAskSide: fc.boolean(),
  processedRemaining: fc.oneof(fc.constant(0n), amounts),
  open: fc.oneof(fc.constant(0n), amounts),
});
const pools: fc.Arbitrary<DlmmPool> = fc.record({
  parameters: fc.record({
    binStep: fc.integer({ min: 1, max: 400 }),
    collectsOnlyY: fc.boolean(),
    hasLimitOrders: fc.boolean(),
    variableFeeControl: fc.integer({ min: 0, max: 500_000 }),
  }),
  activeId: fc.integer({ min: -100, max: 100 }),
  bins: fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: -150, max: 150 }),
      x: amounts,
      y: amounts,
      orders,
    }),
    { minLength: 1, maxLength: 20, selector: ({ id }) => id },
  ),
});
const mints = fc.constantFrom(MINT_X, MINT_Y);

function stateOf(pool: DlmmPool): DlmmState {
  const found = meteoraDlmm.decode(PAIR, dlmmAccounts(pool));
  assert.ok(found.kind === "pool");
  return found.state;
}

test("a filled order pays less than what was reachable, and leaves what it did not take", () => {
  fc.assert(
    fc.property(pools, mints, amounts, (pool, inputMint, amountIn) => {
      const state = stateOf(pool);
      const quote = meteoraDlmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      if (quote.kind === "unfillable") return;
      const before = meteoraDlmm.reachable(state, inputMint, 10_000);
      const after = meteoraDlmm.reachable(quote.after, inputMint, 10_000);
      assert.ok(quote.amountOut <= before);
      assert.ok(after <= before - quote.amountOut);
    }),
  );
});

test("more in never pays less", () => {
  fc.assert(
    fc.property(pools, mints, amounts, amounts, (pool, inputMint, amountIn, more) => {
      const state = stateOf(pool);
      const small = meteoraDlmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      const large = meteoraDlmm.quoteExactIn(state, {
        inputMint,
        amountIn: amountIn + more,
        clock: CLOCK,
      });
      if (small.kind === "unfillable" || large.kind === "unfillable") return;
      assert.ok(large.amountOut >= small.amountOut);
    }),
  );
});

test("selling and buying back never profits where the first swap ends in the bin it began", () => {
  const oneBin = fc.record({ id: fc.constant(0), x: amounts, y: amounts });
  fc.assert(
    fc.property(oneBin, mints, amounts, (bin, inputMint, amountIn) => {
      const state = stateOf({ bins: [bin] });
      const there = meteoraDlmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      if (there.kind === "unfillable") return;
      const back = meteoraDlmm.quoteExactIn(there.after, {
        inputMint: inputMint === MINT_X ? MINT_Y : MINT_X,
        amountIn: there.amountOut,
        clock: CLOCK,
      });
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(pools, mints, amounts, (pool, inputMint, amountIn) => {
      const there = meteoraDlmm.quoteExactIn(stateOf(withoutCrossedBins(pool)), {
        inputMint,
        amountIn,
        clock: CLOCK,
      });
      if (there.kind === "unfillable") return;
      const back = meteoraDlmm.quoteExactIn(there.after, {
        inputMint: inputMint === MINT_X ? MINT_Y : MINT_X,
        amountIn: there.amountOut,
        clock: CLOCK,
      });
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

/** X only at and above the active bin, Y only at and below it: what deposits and swaps lead to. */
function withoutCrossedBins(pool: DlmmPool): DlmmPool {
  const active = pool.activeId ?? 0;
  return {
    ...pool,
    bins: pool.bins.map(({ id, x = 0n, y = 0n }) => ({
      id,
      x: id >= active ? x : 0n,
      y: id <= active ? y : 0n,
    })),
  };
}

test("a quote leaves the state as it was", () => {
  fc.assert(
    fc.property(pools, mints, amounts, (pool, inputMint, amountIn) => {
      const state = stateOf(pool);
      const copy = structuredClone(state);
      meteoraDlmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
      assert.deepEqual(state, copy);
    }),
  );
});
