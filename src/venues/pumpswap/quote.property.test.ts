import assert from "node:assert/strict";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { pumpSwapFixture, rates } from "#test/support/pools/pump-pools.ts";
import { testQuoteLaws } from "#test/support/pools/quote-laws.ts";
import { pumpSwap } from "./adapter.ts";
import type { PumpSwapState } from "./decode.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const u63 = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
const usual = fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n });
const amount = fc.oneof(u63, usual, fc.bigInt({ min: 1n, max: 1000n }));
const bps = fc.bigInt({ min: 0n, max: 3000n });

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

const trades = fc.tuple(states, fc.boolean()).map(([state, isSale]) => {
  const { baseMint, quoteMint } = state;
  const [inputMint, outputMint] = isSale ? [baseMint, quoteMint] : [quoteMint, baseMint];
  return { state, inputMint, outputMint };
});

const noFee = { epoch: 0n, maximum: 0n, feeBps: 0 };

testQuoteLaws({
  venue: pumpSwap,
  clock: CLOCK,
  trades,
  amounts: amount,
  mostOut: ({ state, inputMint }) =>
    inputMint === state.baseMint ? state.quoteReserve : state.baseReserve,
  fillsMore: false,
  laws: {
    "a trade empties the base vault only where the quote is worth nothing"(
      { state, inputMint },
      { after },
    ) {
      const isPurchase = inputMint === state.quoteMint;
      const isEmptied = isPurchase && state.quoteReserve + state.virtualQuote === 0n;
      assert.ok(after.quoteReserve >= 0n);
      assert.ok(isEmptied ? after.baseReserve === 0n : after.baseReserve > 0n);
    },
    "a trade never leaves the product of the reserves smaller"({ state }, { after }) {
      const product = ({ baseReserve, quoteReserve, virtualQuote }: PumpSwapState) =>
        baseReserve * (quoteReserve + virtualQuote);
      assert.ok(product(after) >= product(state));
    },
  },
  pools: fc.constant(
    pumpSwapFixture({
      baseReserve: 1n << 40n,
      quoteReserve: 1n << 36n,
      virtualQuote: 1n << 30n,
      baseTransferFee: { older: noFee, newer: noFee },
    }),
  ),
});
