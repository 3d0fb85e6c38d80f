import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { raydiumLaunchLab } from "#src/venues/raydium-launchlab/adapter.ts";
import { CURVE_KINDS, CURVES } from "#src/venues/raydium-launchlab/curve.ts";
import { closeAfter } from "#test/support/ending.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { type LaunchFixture, launchFixture } from "#test/support/pools/pump-pools.ts";
import type { Bn, BnClass } from "#test/support/sdks/pump-sdks.ts";
import { loadSdk } from "#test/support/sdks/sdk.ts";

const CLOCK = { slot: 432_000n * 1050n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const STATES = 3000;

type SdkFee = { readonly epoch: bigint; maximumFee: bigint; transferFeeBasisPoints: number };
type SdkFeeConfig = { readonly olderTransferFee: SdkFee; readonly newerTransferFee: SdkFee };
type SwapInput = {
  readonly poolInfo: object;
  readonly protocolFeeRate: Bn;
  readonly platformFeeRate: Bn;
  readonly creatorFeeRate: Bn;
  readonly shareFeeRate: Bn;
  readonly curveType: number;
  readonly slot: number;
  readonly transferFeeConfigA: SdkFeeConfig | undefined;
  readonly transferFeeConfigB: SdkFeeConfig | undefined;
};
type SdkAmount = { readonly amount: Bn; readonly fee: Bn | undefined };
type DecimalClass = {
  readonly default: {
    readonly precision: number;
    readonly rounding: number;
    readonly ROUND_HALF_UP: number;
    set(options: { readonly precision: number; readonly rounding: number }): unknown;
  };
};
type Package = {
  readonly Curve: {
    sellExactIn(input: SwapInput & { readonly amountA: Bn }): { readonly amountB: Bn };
    buyExactIn(input: SwapInput & { readonly amountB: Bn }): { readonly amountA: SdkAmount };
  };
  readonly LaunchpadPool: { decode(data: Buffer): object };
};

const rate = fc.bigInt({ min: 0n, max: 20_000n });
const fee = fc.record({
  epoch: fc.constantFrom(900n, 1050n, 1051n),
  maximum: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  feeBps: fc.integer({ min: 0, max: 2000 }),
});
const schedule = fc.record({ older: fee, newer: fee });
const cases = fc
  .record(
    {
      kind: fc.constantFrom(...CURVE_KINDS),
      virtualBase: fc.bigInt({ min: 10n ** 9n, max: 1_200_000_000_000_000n }),
      virtualQuote: fc.bigInt({ min: 10n ** 6n, max: 100_000_000_000n }),
      protocolFeeRate: rate,
      platformFeeRate: rate,
      creatorFeeRate: rate,
      baseTransferFee: schedule,
      quoteTransferFee: schedule,
      sold: fc.bigInt({ min: 0n, max: 10_000n }),
      share: fc.bigInt({ min: 1n, max: 12_000n }),
      quoteIn: fc.bigInt({ min: 2n, max: 200_000_000_000n }),
    },
    {
      requiredKeys: [
        "kind",
        "virtualBase",
        "virtualQuote",
        "protocolFeeRate",
        "platformFeeRate",
        "creatorFeeRate",
        "sold",
        "share",
        "quoteIn",
      ],
    },
  )
  .map(({ sold, share, quoteIn, ...fields }) => {
    const isLinear = fields.kind === "linear-price";
    const totalBaseSell = isLinear ? 1_000_000_000_000n : (fields.virtualBase * 3n) / 4n;
    const virtualBase = isLinear ? fields.virtualQuote : fields.virtualBase;
    const virtualQuote = isLinear ? 0n : fields.virtualQuote;
    const realBase = (totalBaseSell * sold) / 10_000n;
    const reserves = { virtualBase, virtualQuote, realBase: 0n, realQuote: 0n };
    const realQuote = CURVES[fields.kind].cost(reserves, realBase);
    const launch: LaunchFixture & { readonly realBase: bigint; readonly realQuote: bigint } = {
      ...fields,
      virtualBase,
      virtualQuote,
      totalBaseSell,
      realBase,
      realQuote,
    };
    return { launch, baseIn: (realBase * share) / 10_000n, quoteIn };
  });

test("sales and purchases equal the official SDK's on generated launches of all curves", (t) => {
  const sdk = loadSdk<Package>(t, "@raydium-io/raydium-sdk-v2");
  const BN = loadSdk<BnClass>(t, "bn.js");
  const decimals = loadSdk<DecimalClass>(t, "decimal.js");
  if (sdk === null || BN === null || decimals === null) return;
  roundAsByDefault(t, decimals);
  const bn = (value: bigint) => new BN(String(value));
  const tally = { sold: 0, bought: 0, roundedUpBySdk: 0 };
  for (const { launch, baseIn, quoteIn } of fc.sample(cases, { numRuns: STATES, seed: 2026 })) {
    const { pool, mintA, mintB, accounts } = launchFixture(launch);
    const state = decodedState(raydiumLaunchLab, pool, accounts);
    const input = {
      poolInfo: sdk.LaunchpadPool.decode(Buffer.from(accounts.get(pool)?.data ?? [])),
      protocolFeeRate: bn(launch.protocolFeeRate ?? 0n),
      platformFeeRate: bn(launch.platformFeeRate ?? 0n),
      creatorFeeRate: bn(launch.creatorFeeRate ?? 0n),
      shareFeeRate: bn(0n),
      curveType: CURVE_KINDS.indexOf(state.kind),
      slot: Number(CLOCK.slot),
      transferFeeConfigA: sdkFee(launch.baseTransferFee),
      transferFeeConfigB: sdkFee(launch.quoteTransferFee),
    };

    const sale = raydiumLaunchLab.quoteExactIn(state, {
      inputMint: mintA,
      amountIn: baseIn,
      clock: CLOCK,
    });
    if (sale.kind === "filled") {
      tally.sold++;
      const { amountB } = sdk.Curve.sellExactIn({ ...input, amountA: bn(baseIn) });
      assert.equal(String(sale.amountOut), amountB.toString());
    }

    const purchase = raydiumLaunchLab.quoteExactIn(state, {
      inputMint: mintB,
      amountIn: quoteIn,
      clock: CLOCK,
    });
    if (purchase.kind === "filled") {
      tally.bought++;
      const theirs = received(sdk.Curve.buyExactIn({ ...input, amountB: bn(quoteIn) }).amountA);
      // The SDK rounds the linear curve's square root to the nearest unit, the program rounds it down.
      const isRoundedUp = state.kind === "linear-price" && theirs === purchase.amountOut + 1n;
      if (isRoundedUp) tally.roundedUpBySdk++;
      else assert.equal(purchase.amountOut, theirs, state.kind);
    }
  }
  assert.ok(tally.sold > STATES / 2, `${tally.sold} sales`);
  assert.ok(tally.bought > STATES / 2, `${tally.bought} purchases`);
  assert.ok(
    tally.roundedUpBySdk > 0 && tally.roundedUpBySdk < STATES / 4,
    `${tally.roundedUpBySdk} rounded up`,
  );
});

/** Other SDKs in the process configure the one Decimal that all of them share. */
function roundAsByDefault(t: TestContext, { default: decimal }: DecimalClass): void {
  const { precision, rounding } = decimal;
  decimal.set({ precision: 20, rounding: decimal.ROUND_HALF_UP });
  closeAfter(t, () => void decimal.set({ precision, rounding }));
}

/** What reaches the trader: the SDK names the amount sent and what the mint withholds. */
function received({ amount, fee }: SdkAmount): bigint {
  return BigInt(amount.toString()) - BigInt(fee?.toString() ?? "0");
}

function sdkFee(found: LaunchFixture["baseTransferFee"]): SdkFeeConfig | undefined {
  if (found === undefined) return undefined;
  const one = ({ epoch, maximum, feeBps }: typeof found.older): SdkFee => ({
    epoch,
    maximumFee: maximum,
    transferFeeBasisPoints: feeBps,
  });
  return { olderTransferFee: one(found.older), newerTransferFee: one(found.newer) };
}
