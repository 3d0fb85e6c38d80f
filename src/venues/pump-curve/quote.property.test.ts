import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { COIN, curveFixture, POOL_FEES, rates } from "#test/support/pools/pump-pools.ts";
import { pumpCurve } from "./adapter.ts";
import type { PumpCurveState } from "./decode.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const u64 = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
const usual = fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n });
const amount = fc.oneof(u64, usual, fc.bigInt({ min: 1n, max: 1000n }));
const bps = fc.bigInt({ min: 0n, max: 4000n });

const states = fc
  .record({
    virtualToken: amount,
    virtualQuote: amount,
    realToken: amount,
    realQuote: amount,
    protocolBps: bps,
    creatorBps: bps,
  })
  .map(({ protocolBps, creatorBps, ...reserves }): PumpCurveState => {
    const { pool, accounts } = curveFixture();
    const state = decodedState(pumpCurve, pool, accounts, COIN);
    const schedule = [{ threshold: 0n, rates: rates(0n, protocolBps, creatorBps) }] as const;
    return { ...state, ...reserves, schedule };
  });

function quote(state: PumpCurveState, side: "sell" | "buy", amountIn: bigint) {
  const inputMint = side === "sell" ? COIN : state.quoteMint;
  return pumpCurve.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

/** The two fees of a sale are rounded up separately: both may grow by a unit where its gross does. */
const lessAtMost = { sell: 1n, buy: 0n };

test("a trade pays out of what is really there, and more in is less out by a fee's rounding at most", () => {
  fc.assert(
    fc.property(
      states,
      fc.constantFrom("sell" as const, "buy" as const),
      amount,
      amount,
      (state, side, first, more) => {
        const less = quote(state, side, first);
        const greater = quote(state, side, first + more);
        if (less.kind !== "filled") return;
        assert.ok(less.amountOut <= (side === "sell" ? state.realQuote : state.realToken));
        if (greater.kind !== "filled") return;
        assert.ok(greater.amountOut >= less.amountOut - lessAtMost[side]);
      },
    ),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(
      states,
      fc.constantFrom("sell" as const, "buy" as const),
      amount,
      (state, side, amountIn) => {
        const there = quote(state, side, amountIn);
        if (there.kind !== "filled" || there.amountOut === 0n) return;
        const back = quote(there.after, side === "sell" ? "buy" : "sell", there.amountOut);
        assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
      },
    ),
  );
});

test("a trade moves the virtual reserves and the real ones by the same amounts", () => {
  const virtualPart = ({ virtualToken, realToken, virtualQuote, realQuote }: PumpCurveState) => ({
    token: virtualToken - realToken,
    quote: virtualQuote - realQuote,
  });
  fc.assert(
    fc.property(
      states,
      fc.constantFrom("sell" as const, "buy" as const),
      amount,
      (state, side, amountIn) => {
        const found = quote(state, side, amountIn);
        if (found.kind === "filled") assert.deepEqual(virtualPart(found.after), virtualPart(state));
      },
    ),
  );
});

test("a quote never changes the state it is asked of", () => {
  fc.assert(
    fc.property(states, amount, (state, amountIn) => {
      const before = structuredClone(state);
      quote(state, "sell", amountIn);
      quote(state, "buy", amountIn);
      assert.deepEqual(state, before);
    }),
    { numRuns: 30 },
  );
});

test("any damage to the accounts gives a curve or a reason", () => {
  fc.assert(
    fc.property(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (mutations, isMayhem) => {
        const { pool, accounts } = curveFixture({
          realQuote: 1n << 34n,
          isMayhem,
          fees: POOL_FEES,
        });
        const venue = {
          ...pumpCurve,
          outline: (at: typeof pool, known: typeof accounts) => pumpCurve.outline(at, known, COIN),
          decode: (at: typeof pool, known: typeof accounts) => pumpCurve.decode(at, known, COIN),
        };
        assertSurvives(venue as typeof pumpCurve, pool, mutated(accounts, mutations), CLOCK);
      },
    ),
    { numRuns: 300 },
  );
});
