import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { launchFixture } from "#test/support/pools/pump-pools.ts";
import { raydiumLaunchLab } from "./adapter.ts";
import { CURVE_KINDS, CURVES } from "./curve.ts";
import type { LaunchLabState } from "./decode.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n }),
  fc.bigInt({ min: 1n, max: 1000n }),
);
const side = fc.constantFrom("sell" as const, "buy" as const);
const share = fc.bigInt({ min: 0n, max: 10_000n });
const rate = fc.bigInt({ min: 0n, max: 30_000n });
const transferFee = fc
  .record({
    epoch: fc.constant(0n),
    maximum: fc.bigInt({ min: 0n, max: 1_000_000n }),
    feeBps: fc.integer({ min: 0, max: 10_000 }),
  })
  .map((fee) => ({ older: fee, newer: fee }));

const FIXED = (() => {
  const { pool, accounts } = launchFixture();
  return decodedState(raydiumLaunchLab, pool, accounts);
})();

/** Launches as trading from nothing would leave them: what was raised is what the curve says. */
const states = fc
  .record({
    kind: fc.constantFrom(...CURVE_KINDS),
    virtualBase: fc.bigInt({ min: 1_000_000n, max: 1_200_000_000_000_000n }),
    virtualQuote: fc.bigInt({ min: 1_000n, max: 100_000_000_000n }),
    sold: share,
    feeRates: fc.record({ protocol: rate, platform: rate, creator: rate }),
    baseTransferFee: fc.option(transferFee),
    quoteTransferFee: fc.option(transferFee),
  })
  .map(({ sold, ...fields }): LaunchLabState => {
    const isLinear = fields.kind === "linear-price";
    const totalBaseSell = isLinear ? 1_000_000_000_000n : (fields.virtualBase * 3n) / 4n;
    const launch = {
      ...FIXED,
      ...fields,
      virtualBase: isLinear ? fields.virtualQuote : fields.virtualBase,
      totalBaseSell,
    };
    const realBase = (totalBaseSell * sold) / 10_000n;
    return { ...launch, realBase, realQuote: CURVES[fields.kind].cost(launch, realBase) };
  });

function quote(state: LaunchLabState, trade: "sell" | "buy", amountIn: bigint) {
  const inputMint = trade === "sell" ? state.baseMint : state.quoteMint;
  return raydiumLaunchLab.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

test("a trade pays out of what is there, and more in is never less out", () => {
  fc.assert(
    fc.property(states, side, amount, amount, (state, trade, first, more) => {
      const less = quote(state, trade, first);
      const greater = quote(state, trade, first + more);
      if (less.kind !== "filled") return;
      const limit = trade === "sell" ? state.realQuote : state.totalBaseSell - state.realBase;
      assert.ok(less.amountOut <= limit);
      assert.ok(less.after.realQuote >= 0n && less.after.realBase >= 0n);
      if (greater.kind === "filled") assert.ok(greater.amountOut >= less.amountOut);
    }),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(states, side, amount, (state, trade, amountIn) => {
      const there = quote(state, trade, amountIn);
      if (there.kind !== "filled" || there.amountOut === 0n) return;
      const back = quote(there.after, trade === "sell" ? "buy" : "sell", there.amountOut);
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("any damage to the accounts gives a launch or a reason", () => {
  const fee = { epoch: 900n, maximum: 1n << 40n, feeBps: 100 };
  fc.assert(
    fc.property(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...CURVE_KINDS),
      (mutations, kind) => {
        const { pool, accounts } = launchFixture({
          kind,
          realBase: 1n << 40n,
          realQuote: 1n << 34n,
          baseTransferFee: { older: fee, newer: fee },
        });
        assertSurvives(raydiumLaunchLab, pool, mutated(accounts, mutations), CLOCK);
      },
    ),
    { numRuns: 300 },
  );
});
