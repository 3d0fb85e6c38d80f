import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { raydiumCpmm } from "#src/venues/raydium-cpmm/adapter.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { cpmmFixture, testAddress } from "#test/support/pools/raydium-pools.ts";
import {
  bytesOf,
  type CpmmPoolFields,
  type Integer,
  loadRaydiumSdk,
} from "#test/support/sdks/raydium-sdk.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const STATES = 3000;

const reserve = fc.oneof(
  fc.bigInt({ min: 1n, max: 10n ** 18n }),
  fc.bigInt({ min: 1n, max: 100_000n }),
);
const owed = fc.tuple(
  fc.bigInt({ min: 0n, max: 10n ** 9n }),
  fc.bigInt({ min: 0n, max: 10n ** 9n }),
);
const rate = fc.constantFrom(1n, 100n, 500n, 2_500n, 10_000n, 20_000n, 333_333n);
const cases = fc.record({
  reserve0: reserve,
  reserve1: reserve,
  protocolFees: owed,
  fundFees: owed,
  creatorFees: owed,
  tradeFeeRate: rate,
  creatorFeeRate: rate,
  creatorFeeOn: fc.constantFrom(0 as const, 1 as const, 2 as const),
  isCreatorFeeEnabled: fc.boolean(),
  // Below ten units the SDK's two roundings can take more than there is, and it fails.
  amountIn: reserve.map((amount) => amount + 10n),
});

/**
 * The SDK rounds trade and creator fee up one by one, the program once over both: where the creator
 * fee is on the input the SDK may count one unit less into the curve, and the program is right.
 */
test("sales both ways equal the official SDK's curve on generated pools, but for its second rounding", (t) => {
  const sdk = loadRaydiumSdk(t);
  if (sdk === null) return;
  let filled = 0;
  let offByRounding = 0;
  for (const fields of fc.sample(cases, { numRuns: STATES, seed: 2026 })) {
    const sum = (side: 0 | 1) =>
      fields.protocolFees[side] + fields.fundFees[side] + fields.creatorFees[side];
    const { pool, mintA, mintB, accounts } = cpmmFixture({
      ...fields,
      vault0: fields.reserve0 + sum(0),
      vault1: fields.reserve1 + sum(1),
    });
    const state = decodedState(raydiumCpmm, pool, accounts);
    const info: CpmmPoolFields = sdk.CpmmPoolInfoLayout.decode(bytesOf(accounts.get(pool)));
    const config = sdk.CpmmConfigInfoLayout.decode(bytesOf(accounts.get(testAddress(6))));
    const vault = (byte: number) =>
      sdk.splAccountLayout.decode(bytesOf(accounts.get(testAddress(byte)))).amount;
    const reserves: readonly [Integer, Integer] = [
      vault(4).sub(info.protocolFeesMintA).sub(info.fundFeesMintA).sub(info.creatorFeesMintA),
      vault(5).sub(info.protocolFeesMintB).sub(info.fundFeesMintB).sub(info.creatorFeesMintB),
    ];
    for (const isZeroForOne of [true, false]) {
      const isOnInput: boolean = info.feeOn === 0 || (info.feeOn === 1) === isZeroForOne;
      const theirs = sdk.CurveCalculator.swapBaseInput(
        new sdk.BN(String(fields.amountIn)),
        reserves[isZeroForOne ? 0 : 1],
        reserves[isZeroForOne ? 1 : 0],
        config.tradeFeeRate,
        info.enableCreatorFee ? config.creatorFeeRate : new sdk.BN("0"),
        config.protocolFeeRate,
        config.fundFeeRate,
        isOnInput,
      );
      const expected = BigInt(theirs.outputAmount.toString());
      const quote = raydiumCpmm.quoteExactIn(state, {
        inputMint: isZeroForOne ? mintA : mintB,
        amountIn: fields.amountIn,
        clock: CLOCK,
      });
      const ours = quote.kind === "filled" ? quote.amountOut : 0n;
      if (quote.kind === "filled") filled++;
      if (ours === expected) continue;
      // One unit more on the curve pays at most the price of that unit, rounded up.
      const [reserveIn, reserveOut] = isZeroForOne
        ? [fields.reserve0, fields.reserve1]
        : [fields.reserve1, fields.reserve0];
      assert.ok(isOnInput && info.enableCreatorFee, "differs only by the second rounding");
      assert.ok(ours > expected && ours - expected <= reserveOut / reserveIn + 1n);
      offByRounding++;
    }
  }
  assert.ok(filled > STATES, `${filled} filled`);
  assert.ok(offByRounding > 0, "the SDK's second rounding shows");
});

/** Replaces a decimal: the SDK computes a price impact in addition to the amount. */
const NO_PRICE = { sub: () => ({ div: () => null }) };

test("the SDK's high-level call agrees for pools without a creator fee, which it ignores", (t) => {
  const sdk = loadRaydiumSdk(t);
  if (sdk === null) return;
  for (const fields of fc.sample(cases, { numRuns: 300, seed: 7 })) {
    const { pool, mintA, mintB, accounts } = cpmmFixture({
      vault0: fields.reserve0,
      vault1: fields.reserve1,
      tradeFeeRate: fields.tradeFeeRate,
      creatorFeeRate: 0n,
    });
    const state = decodedState(raydiumCpmm, pool, accounts);
    const { amountOut } = sdk.cpmm.computeSwapAmount({
      pool: {
        mintB: { address: mintB },
        feeOn: 0,
        baseReserve: new sdk.BN(String(fields.reserve0)),
        quoteReserve: new sdk.BN(String(fields.reserve1)),
        configInfo: sdk.CpmmConfigInfoLayout.decode(bytesOf(accounts.get(testAddress(6)))),
        poolPrice: NO_PRICE,
      },
      amountIn: new sdk.BN(String(fields.amountIn)),
      outputMint: mintB,
      slippage: 0,
    });
    const order = { inputMint: mintA, amountIn: fields.amountIn, clock: CLOCK };
    const quote = raydiumCpmm.quoteExactIn(state, order);
    assert.equal(quote.kind === "filled" ? quote.amountOut : 0n, BigInt(amountOut.toString()));
  }
});
