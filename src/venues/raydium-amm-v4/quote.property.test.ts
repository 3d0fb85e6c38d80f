import fc from "fast-check";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { testQuoteLaws } from "#test/support/pools/quote-laws.ts";
import { ammFixture } from "#test/support/pools/raydium-pools.ts";
import { raydiumAmmV4 } from "./adapter.ts";
import { reserveOf } from "./quote.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
const small = fc.bigInt({ min: 1n, max: 1_000_000_000_000n });
const fee = fc.tuple(fc.integer({ min: 0, max: 9_999 }), fc.constant(10_000));

const trades = fc
  .record({
    coinVault: fc.oneof(amount, small),
    pcVault: fc.oneof(amount, small),
    fee,
    isSale: fc.boolean(),
  })
  .map(({ coinVault, pcVault, fee: [numerator, denominator], isSale }) => {
    const { pool, mintA, mintB, accounts } = ammFixture({
      coinVault,
      pcVault,
      swapFeeNumerator: BigInt(numerator),
      swapFeeDenominator: BigInt(denominator),
    });
    const state = decodedState(raydiumAmmV4, pool, accounts);
    const [inputMint, outputMint] = isSale ? [mintA, mintB] : [mintB, mintA];
    return { state, inputMint, outputMint };
  });

testQuoteLaws({
  venue: raydiumAmmV4,
  clock: CLOCK,
  trades,
  amounts: small,
  mostOut: ({ state, outputMint }) =>
    reserveOf(outputMint === state.pc.mint ? state.pc : state.coin) - 1n,
  fillsMore: true,
  pools: fc.constant(ammFixture({ coinVault: 1n << 40n, pcVault: 1n << 41n })),
});
