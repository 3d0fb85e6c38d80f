import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertSurvives, mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import {
  dammV1Fixture,
  dammV1State,
  MINT_A,
  MINT_B,
  vaultShare,
} from "#test/support/pools/meteora-pools.ts";
import { meteoraDammV1 } from "./adapter.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const small = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });

const share = fc
  .record({
    poolLp: fc.bigInt({ min: 1_000_000n, max: 1n << 50n }),
    others: fc.bigInt({ min: 0n, max: 1n << 50n }),
    /** What a share is worth, in thousandths: vaults earn, a coarse one a lot. */
    worth: fc.bigInt({ min: 1_000n, max: 3_000n }),
  })
  .map(({ poolLp, others, worth }) => {
    const lpSupply = poolLp + others;
    const totalAmount = (lpSupply * worth) / 1_000n;
    return { poolLp, lpSupply, totalAmount, tokenVaultAmount: totalAmount };
  });

const pool = fc
  .record({
    a: share,
    b: share,
    curve: fc.oneof(
      fc.constant({ kind: "constant-product" as const }),
      fc.record({
        kind: fc.constant("stable" as const),
        amp: fc.bigInt({ min: 1n, max: 10_000n }),
        multiplierA: fc.constantFrom(1n, 1_000n),
        multiplierB: fc.constant(1n),
        depeg: fc.constant(null),
      }),
    ),
    tradeFeeNumerator: fc.bigInt({ min: 1n, max: 6_000n }),
  })
  .map(({ a, b, ...rest }) =>
    dammV1State({ a: vaultShare(MINT_A, a), b: vaultShare(MINT_B, b), ...rest }),
  );

const quoteOf = (
  state: ReturnType<typeof dammV1State>,
  inputMint: typeof MINT_A,
  amountIn: bigint,
) => meteoraDammV1.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });

/** Shares are whole: an order may gain or lose what one share of either vault is worth. */
function slackOf(state: ReturnType<typeof dammV1State>): bigint {
  return state.a.totalAmount / state.a.lpSupply + state.b.totalAmount / state.b.lpSupply + 2n;
}

test("a sale pays less than the reserve, and more in is never less out by more than rounding", () => {
  fc.assert(
    fc.property(pool, fc.boolean(), small, small, (state, isAToB, first, more) => {
      const inputMint = isAToB ? MINT_A : MINT_B;
      const less = quoteOf(state, inputMint, first);
      const greater = quoteOf(state, inputMint, first + more);
      if (less.kind !== "filled") return;
      assert.ok(less.amountOut < (isAToB ? state.b : state.a).tokenVaultAmount);
      if (greater.kind !== "filled") return;
      assert.ok(greater.amountOut + slackOf(state) * 2n >= less.amountOut);
    }),
    { numRuns: 200 },
  );
});

test("a round trip never profits by more than a share of each vault", () => {
  fc.assert(
    fc.property(pool, fc.boolean(), small, (state, isAToB, amountIn) => {
      const [inputMint, outputMint] = isAToB ? [MINT_A, MINT_B] : [MINT_B, MINT_A];
      const there = quoteOf(state, inputMint, amountIn);
      if (there.kind !== "filled") return;
      const back = quoteOf(there.after, outputMint, there.amountOut);
      if (back.kind !== "filled") return;
      assert.ok(back.amountOut <= amountIn + slackOf(state), `${back.amountOut} of ${amountIn}`);
    }),
    { numRuns: 200 },
  );
});

test("what a sale takes out never passes what was reported as reachable", () => {
  fc.assert(
    fc.property(pool, fc.boolean(), small, (state, isAToB, amountIn) => {
      const inputMint = isAToB ? MINT_A : MINT_B;
      const quote = quoteOf(state, inputMint, amountIn);
      if (quote.kind !== "filled") return;
      assert.ok(quote.amountOut <= meteoraDammV1.reachable(state, inputMint, 10_000));
    }),
    { numRuns: 200 },
  );
});

test("any damage to the accounts gives a pool or a reason", () => {
  const state = dammV1State({
    a: vaultShare(MINT_A, { lockedProfit: 1_000n, lastReport: CLOCK.unixTimestamp - 10n }),
    curve: {
      kind: "stable",
      amp: 100n,
      multiplierA: 1n,
      multiplierB: 1n,
      depeg: { cachedPrice: 1_100_000n, cacheUpdated: 0n, currentPrice: 1_250_000n },
    },
  });
  const fixture = dammV1Fixture(state);
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
      assertSurvives(meteoraDammV1, fixture.pool, mutated(fixture.accounts, mutations), CLOCK);
    }),
    { numRuns: 300 },
  );
});
