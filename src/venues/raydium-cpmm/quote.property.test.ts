import assert from "node:assert/strict";
import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { testQuoteLaws } from "#test/support/pools/quote-laws.ts";
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

const pools = fc
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
  .map(cpmmFixture);

const trades = fc.tuple(pools, fc.boolean()).map(([{ pool, mintA, mintB, accounts }, isAToB]) => {
  const [inputMint, outputMint] = isAToB ? [mintA, mintB] : [mintB, mintA];
  return { state: decodedState(raydiumCpmm, pool, accounts), inputMint, outputMint };
});

const damagedFee = { epoch: 900n, maximum: 1n << 40n, feeBps: 100 };

testQuoteLaws({
  venue: raydiumCpmm,
  clock: CLOCK,
  trades,
  amounts: small,
  mostOut: ({ state, outputMint }) =>
    reserveOf(outputMint === state.token1.mint ? state.token1 : state.token0) - 1n,
  fillsMore: true,
  laws: {
    "a swap never takes from what is owed to others, and leaves the product no smaller"(
      { state },
      { after },
    ) {
      const product = ({ token0, token1 }: typeof state) => reserveOf(token0) * reserveOf(token1);
      assert.ok(product(after) >= product(state));
      assert.ok(after.token0.creatorFees >= state.token0.creatorFees);
      assert.ok(after.token1.creatorFees >= state.token1.creatorFees);
    },
  },
  pools: fc.constant(
    cpmmFixture({
      vault0: 1n << 40n,
      vault1: 1n << 41n,
      transferFee0: { older: damagedFee, newer: damagedFee },
      isCreatorFeeEnabled: true,
    }),
  ),
});
