import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { address } from "#src/units/address.ts";
import { configuredPool, meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import type { BaseFee, DammV2State } from "#src/venues/meteora-damm-v2/decode.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { dammV2Fixture, dammV2State } from "#test/support/pools/meteora-pools.ts";
import { loadDammV2Sdk } from "#test/support/sdks/damm-sdks.ts";
import { bytesOf } from "#test/support/sdks/raydium-sdk.ts";

const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 1050n };
const STATES = 1500;
/** The SDK checks no balance: with these the vault always covers what the curve pays. */
const ALMOST_FULL = (1n << 64n) - (1n << 42n);

const cliffFeeNumerator = fc.bigInt({ min: 100_000n, max: 500_000_000n });
const periods = fc.bigInt({ min: 1n, max: 1_000n });
const baseFee: fc.Arbitrary<BaseFee> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("time-linear" as const, "time-exponential" as const),
    cliffFeeNumerator,
    periods: fc.bigInt({ min: 0n, max: 300n }),
    periodFrequency: fc.bigInt({ min: 0n, max: 5_000n }),
    reductionFactor: fc.bigInt({ min: 0n, max: 300n }),
  }),
  fc.record({
    kind: fc.constant("rate-limiter" as const),
    cliffFeeNumerator: fc.bigInt({ min: 100_000n, max: 50_000_000n }),
    feeIncrementBps: fc.bigInt({ min: 1n, max: 500n }),
    maxDuration: fc.bigInt({ min: 1n, max: 50_000n }),
    maxFeeBps: fc.bigInt({ min: 600n, max: 9_900n }),
    referenceAmount: fc.bigInt({ min: 1n, max: 10n ** 10n }),
  }),
  fc.record({
    kind: fc.constantFrom("market-cap-linear" as const, "market-cap-exponential" as const),
    cliffFeeNumerator,
    periods: periods.map((count) => count % 300n),
    sqrtPriceStepBps: fc.bigInt({ min: 1n, max: 1_000n }),
    expiry: fc.bigInt({ min: 1n, max: 200_000n }),
    reductionFactor: fc.bigInt({ min: 1n, max: 300n }),
  }),
);

const dynamicFee = fc.record({
  maxVolatilityAccumulator: fc.constant(14_460_000n),
  variableFeeControl: fc.bigInt({ min: 1n, max: 100_000n }),
  binStep: fc.constant(1n),
  filterPeriod: fc.constant(10n),
  decayPeriod: fc.constant(120n),
  reductionFactor: fc.constant(5_000n),
  binStepQ64: fc.constant(1_844_674_407_370_955n),
  lastUpdateTimestamp: fc.bigInt({ min: 1_789_999_800n, max: 1_790_000_000n }),
  sqrtPriceReference: fc.bigInt({ min: 1n << 60n, max: 1n << 66n }),
  volatilityAccumulator: fc.bigInt({ min: 0n, max: 14_460_000n }),
  volatilityReference: fc.bigInt({ min: 0n, max: 14_460_000n }),
});

const reserve = fc.bigInt({ min: 1n, max: 1n << 50n });
const cases = fc.record({
  liquidity: fc.bigInt({ min: 1n << 90n, max: 1n << 115n }),
  sqrtPrice: fc.oneof(
    fc.bigInt({ min: 1n << 50n, max: 1n << 60n }),
    fc.bigInt({ min: 1n << 60n, max: 1n << 70n }),
  ),
  initSqrtPrice: fc.bigInt({ min: 1n << 50n, max: 1n << 66n }),
  isNarrow: fc.boolean(),
  activationPoint: fc.bigInt({ min: 0n, max: 100_000n }),
  activationType: fc.constantFrom("slot" as const, "time" as const),
  collectFeeMode: fc.constantFrom("both" as const, "only-b" as const, "compounding" as const),
  maxFeeNumerator: fc.constantFrom(500_000_000n, 990_000_000n),
  compoundingFeeBps: fc.bigInt({ min: 0n, max: 10_000n }),
  baseFee,
  dynamicFee: fc.option(dynamicFee),
  reserveA: reserve,
  reserveB: reserve,
  amountIn: fc.oneof(
    fc.bigInt({ min: 1n, max: 10n ** 6n }),
    fc.bigInt({ min: 1n, max: 10n ** 12n }),
  ),
});

function stateOf(
  fields: typeof cases extends fc.Arbitrary<infer Case> ? Case : never,
): DammV2State {
  const { isNarrow, reserveA, reserveB, activationPoint, amountIn: _, ...rest } = fields;
  const base = dammV2State();
  const isCompounding = rest.collectFeeMode === "compounding";
  const held = (amount: bigint) => ({
    reserve: isCompounding ? amount : ALMOST_FULL,
    vaultAmount: ALMOST_FULL,
  });
  const now = rest.activationType === "slot" ? CLOCK.slot : CLOCK.unixTimestamp;
  return dammV2State({
    ...rest,
    sqrtMinPrice: isNarrow ? (rest.sqrtPrice * 9n) / 10n : base.sqrtMinPrice,
    sqrtMaxPrice: isNarrow ? (rest.sqrtPrice * 11n) / 10n : base.sqrtMaxPrice,
    activationPoint: now - activationPoint,
    compoundingFeeBps: isCompounding ? rest.compoundingFeeBps : 0n,
    tokenA: { ...base.tokenA, ...held(reserveA) },
    tokenB: { ...base.tokenB, ...held(reserveB) },
  });
}

/** The SDK throws where the program fills with nothing, and where both refuse. */
test("sales both ways equal the official SDK's on generated pools, over every fee mode", (t) => {
  const sdk = loadDammV2Sdk(t);
  if (sdk === null) return;
  let filled = 0;
  for (const fields of fc.sample(cases, { numRuns: STATES, seed: 2026 })) {
    const state = stateOf(fields);
    const { pool, mintA, mintB, accounts } = dammV2Fixture(state);
    const decoded = decodedState(meteoraDammV2, pool, accounts);
    const poolState = sdk.decodePool(bytesOf(accounts.get(pool)));
    for (const isAToB of [true, false]) {
      let expected: bigint | null;
      try {
        const quote = sdk.quote({
          inAmount: new sdk.BN(String(fields.amountIn)),
          inputTokenMint: isAToB ? poolState.tokenAMint : poolState.tokenBMint,
          slippage: 0,
          poolState,
          currentTime: Number(CLOCK.unixTimestamp),
          currentSlot: Number(CLOCK.slot),
          tokenADecimal: 6,
          tokenBDecimal: 9,
          hasReferral: false,
        });
        expected = BigInt(quote.swapOutAmount.toString());
      } catch {
        expected = null;
      }
      const quote = meteoraDammV2.quoteExactIn(decoded, {
        inputMint: isAToB ? mintA : mintB,
        amountIn: fields.amountIn,
        clock: CLOCK,
      });
      // The SDK counts past u64; the program does not.
      if (quote.kind === "unfillable" && quote.reason === "overflow") continue;
      const ours = quote.kind === "filled" && quote.amountOut > 0n ? quote.amountOut : null;
      if (ours !== null) filled++;
      const how = () =>
        JSON.stringify({ fields, isAToB }, (_key, value) =>
          typeof value === "bigint" ? String(value) : value,
        );
      assert.equal(ours, expected, how());
    }
  }
  assert.ok(filled > STATES, `${filled} filled`);
});

test("pools are searched where the SDK derives them", (t) => {
  const sdk = loadDammV2Sdk(t);
  if (sdk === null) return;
  const { pool, mintA, mintB, accounts } = dammV2Fixture(dammV2State());
  const { tokenAMint, tokenBMint, creator } = sdk.decodePool(bytesOf(accounts.get(pool)));
  const { configured } = meteoraDammV2.search(mintA, mintB);
  assert.equal(configured()[0], sdk.customizablePoolAddress(tokenAMint, tokenBMint));
  // Any address will do for a configuration: here the pool's creator stands for one.
  const config = address(creator.toString());
  assert.equal(
    configuredPool(config, mintA, mintB),
    sdk.poolAddress(creator, tokenAMint, tokenBMint),
  );
});
