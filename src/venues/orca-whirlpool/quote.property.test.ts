import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import { compareRatios } from "#src/units/ratio.ts";
import { assertSurvives, mutated, mutation } from "#test/support/hostile-accounts.ts";
import { type WhirlpoolFixture, whirlpoolFixture, whirlpools } from "#test/support/whirlpools.ts";
import { orcaWhirlpool } from "./adapter.ts";
import type { WhirlpoolState } from "./pool-state.ts";
import { quoteAscending } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc
  .integer({ min: 0, max: 52 })
  .chain((bits) => fc.bigInt({ min: 1n, max: 1n << BigInt(bits + 1) }));

function open(fields: WhirlpoolFixture): { state: WhirlpoolState; mintA: Address; mintB: Address } {
  const { pool, mintA, mintB, known } = whirlpoolFixture(fields);
  const decoded = orcaWhirlpool.decode(pool, known);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return { state: decoded.state, mintA, mintB };
}

function sell(state: WhirlpoolState, inputMint: Address, amountIn: bigint) {
  return orcaWhirlpool.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
}

test("a sale pays no more than can be reached", () => {
  fc.assert(
    fc.property(whirlpools, amount, fc.boolean(), (fields, amountIn, isFirst) => {
      const { state, mintA, mintB } = open(fields);
      const inputMint = isFirst ? mintA : mintB;
      const quote = sell(state, inputMint, amountIn);
      if (quote.kind !== "filled") return;
      assert.ok(quote.amountOut <= orcaWhirlpool.reachable(state, inputMint, 10_000));
    }),
    { numRuns: 200 },
  );
});

test("without an adaptive fee, more in is never less out", () => {
  fc.assert(
    fc.property(whirlpools, amount, amount, fc.boolean(), (fields, first, more, isFirst) => {
      const { adaptiveFee: _, ...rest } = fields;
      const { state, mintA, mintB } = open(rest);
      const inputMint = isFirst ? mintA : mintB;
      const less = sell(state, inputMint, first);
      const greater = sell(state, inputMint, first + more);
      if (less.kind !== "filled" || greater.kind !== "filled") return;
      assert.ok(greater.amountOut >= less.amountOut);
    }),
    { numRuns: 200 },
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(whirlpools, amount, fc.boolean(), (fields, amountIn, isFirst) => {
      const { state, mintA, mintB } = open(fields);
      const [inputMint, outputMint] = isFirst ? [mintA, mintB] : [mintB, mintA];
      const there = sell(state, inputMint, amountIn);
      if (there.kind !== "filled") return;
      const back = sell(there.after, outputMint, there.amountOut);
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
    { numRuns: 200 },
  );
});

test("no sale pays more than the spot price says", () => {
  fc.assert(
    fc.property(whirlpools, amount, fc.boolean(), (fields, amountIn, isFirst) => {
      const { state, mintA, mintB } = open(fields);
      const inputMint = isFirst ? mintA : mintB;
      const spot = orcaWhirlpool.spotPrice(state, inputMint);
      const quote = sell(state, inputMint, amountIn);
      if (quote.kind !== "filled") return;
      assert.notEqual(spot, null);
      if (spot === null) return;
      const paid = { numerator: quote.amountOut, denominator: amountIn };
      assert.ok(compareRatios(paid, spot) <= 0);
    }),
    { numRuns: 200 },
  );
});

test("reachable grows with the fall that is allowed", () => {
  fc.assert(
    fc.property(whirlpools, fc.boolean(), (fields, isFirst) => {
      const { state, mintA, mintB } = open(fields);
      const inputMint = isFirst ? mintA : mintB;
      let before = 0n;
      for (const fallBps of [0, 1, 100, 1000, 5000, 9999, 10_000]) {
        const found = orcaWhirlpool.reachable(state, inputMint, fallBps);
        assert.ok(found >= before);
        before = found;
      }
    }),
    { numRuns: 100 },
  );
});

test("one traversal for ascending amounts pays what each pays alone", () => {
  fc.assert(
    fc.property(
      whirlpools,
      fc.array(amount, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      (fields, unsorted, isFirst) => {
        const { state, mintA, mintB } = open(fields);
        const inputMint = isFirst ? mintA : mintB;
        const amounts = [...unsorted].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const alone = amounts.map((amountIn) => {
          const quote = sell(state, inputMint, amountIn);
          return quote.kind === "filled" ? quote.amountOut : null;
        });
        const orders = { inputMint, amountsIn: amounts, clock: CLOCK };
        assert.deepEqual(quoteAscending(state, orders), alone);
      },
    ),
    { numRuns: 300 },
  );
});

test("any damage to the accounts gives a pool or a reason", () => {
  fc.assert(
    fc.property(
      whirlpools,
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      (fields, mutations) => {
        const { pool, accounts } = whirlpoolFixture(fields);
        assertSurvives(orcaWhirlpool, pool, mutated(accounts, mutations), CLOCK);
      },
    ),
    { numRuns: 300 },
  );
});
