import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { pumpSwapFixture, rates } from "#test/support/pools/pump-pools.ts";
import { pumpSwap } from "./adapter.ts";
import type { PumpSwapState } from "./decode.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const u63 = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
const usual = fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n });
const amount = fc.oneof(u63, usual, fc.bigInt({ min: 1n, max: 1000n }));
const bps = fc.bigInt({ min: 0n, max: 3000n });
const side = fc.constantFrom("sell" as const, "buy" as const);

const FIXED = (() => {
  const { pool, accounts } = pumpSwapFixture({ baseReserve: 1n, quoteReserve: 1n });
  return decodedState(pumpSwap, pool, accounts);
})();

const states = fc
  .record({
    baseReserve: amount,
    quoteReserve: amount,
    virtualQuote: fc.oneof(fc.constant(0n), fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n })),
    lpBps: bps,
    protocolBps: bps,
    creatorBps: bps,
  })
  .map(({ lpBps, protocolBps, creatorBps, ...reserves }): PumpSwapState => {
    const schedule = [{ threshold: 0n, rates: rates(lpBps, protocolBps, creatorBps) }] as const;
    return { ...FIXED, ...reserves, schedule };
  });

function quote(state: PumpSwapState, trade: "sell" | "buy", amountIn: bigint) {
  const inputMint = trade === "sell" ? state.baseMint : state.quoteMint;
  return pumpSwap.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

test("a trade pays out of what is in the vault, and more in is never less out", () => {
  fc.assert(
    fc.property(states, side, amount, amount, (state, trade, first, more) => {
      const less = quote(state, trade, first);
      const greater = quote(state, trade, first + more);
      if (less.kind !== "filled") return;
      const { quoteReserve, baseReserve } = less.after;
      const isEmptied = trade === "buy" && state.quoteReserve + state.virtualQuote === 0n;
      assert.ok(quoteReserve >= 0n && (isEmptied ? baseReserve === 0n : baseReserve > 0n));
      const reserve = trade === "sell" ? state.quoteReserve : state.baseReserve;
      assert.ok(less.amountOut <= reserve);
      if (greater.kind === "filled") assert.ok(greater.amountOut >= less.amountOut);
    }),
  );
});

test("a round trip within one fee schedule never profits", () => {
  fc.assert(
    fc.property(states, side, amount, (state, trade, amountIn) => {
      const there = quote(state, trade, amountIn);
      if (there.kind !== "filled" || there.amountOut === 0n) return;
      const back = quote(there.after, trade === "sell" ? "buy" : "sell", there.amountOut);
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("a trade never leaves the product of the reserves smaller", () => {
  fc.assert(
    fc.property(states, side, amount, (state, trade, amountIn) => {
      const found = quote(state, trade, amountIn);
      if (found.kind !== "filled") return;
      const product = ({ baseReserve, quoteReserve, virtualQuote }: PumpSwapState) =>
        baseReserve * (quoteReserve + virtualQuote);
      assert.ok(product(found.after) >= product(state));
    }),
  );
});

test("any damage to the accounts gives a pool or a reason", () => {
  const fixture = pumpSwapFixture({
    baseReserve: 1n << 40n,
    quoteReserve: 1n << 36n,
    virtualQuote: 1n << 30n,
    baseTransferFee: {
      older: { epoch: 0n, maximum: 0n, feeBps: 0 },
      newer: { epoch: 0n, maximum: 0n, feeBps: 0 },
    },
  });
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      assertSurvives(pumpSwap, fixture.pool, mutated(fixture.accounts, mutations), CLOCK);
    }),
    { numRuns: 300 },
  );
});
