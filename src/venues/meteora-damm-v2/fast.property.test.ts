import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteWriter } from "#demo/byte-writer.ts";
import type { Address } from "#src/units/address.ts";
import { assertFastEqualsReference } from "#test/support/pools/fast-paths.ts";
import { mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import { dammV2Fixture, dammV2State, MINT_A, MINT_B } from "#test/support/pools/meteora-pools.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { meteoraDammV2 } from "./adapter.ts";
import type { BaseFee, DammV2State } from "./decode.ts";
import { openFastDammV2 } from "./fast.ts";
import { POOL } from "./layout.ts";

const CLOCK = { slot: 400_000_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };

const cliffFeeNumerator = fc.bigInt({ min: 0n, max: 999_999_999n });
const baseFee: fc.Arbitrary<BaseFee> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("time-linear" as const, "time-exponential" as const),
    cliffFeeNumerator,
    periods: fc.bigInt({ min: 0n, max: 300n }),
    periodFrequency: fc.bigInt({ min: 0n, max: 5_000n }),
    reductionFactor: fc.bigInt({ min: 0n, max: 12_000n }),
  }),
  fc.record({
    kind: fc.constant("rate-limiter" as const),
    cliffFeeNumerator,
    feeIncrementBps: fc.bigInt({ min: 0n, max: 500n }),
    maxDuration: fc.bigInt({ min: 0n, max: 90_000n }),
    maxFeeBps: fc.bigInt({ min: 0n, max: 9_900n }),
    referenceAmount: fc.bigInt({ min: 0n, max: 10n ** 10n }),
  }),
  fc.record({
    kind: fc.constantFrom("market-cap-linear" as const, "market-cap-exponential" as const),
    cliffFeeNumerator,
    periods: fc.bigInt({ min: 0n, max: 300n }),
    sqrtPriceStepBps: fc.bigInt({ min: 0n, max: 1_000n }),
    expiry: fc.bigInt({ min: 0n, max: 90_000n }),
    reductionFactor: fc.bigInt({ min: 0n, max: 300n }),
  }),
);
const dynamicFee = fc.record({
  maxVolatilityAccumulator: fc.constant(14_460_000n),
  variableFeeControl: fc.bigInt({ min: 0n, max: 100_000n }),
  binStep: fc.constant(1n),
  filterPeriod: fc.constant(10n),
  decayPeriod: fc.constant(120n),
  reductionFactor: fc.constant(5_000n),
  binStepQ64: fc.constantFrom(1_844_674_407_370_955n, 0n),
  lastUpdateTimestamp: fc.bigInt({ min: 1_789_999_800n, max: 1_790_000_000n }),
  sqrtPriceReference: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n << 30n, max: 1n << 97n })),
  volatilityAccumulator: fc.bigInt({ min: 0n, max: 14_460_000n }),
  volatilityReference: fc.bigInt({ min: 0n, max: 14_460_000n }),
});
const reserve = fc.oneof(
  fc.bigInt({ min: 0n, max: 1n << 53n }),
  fc.bigInt({ min: 0n, max: 1n << 36n }),
  fc.bigInt({ min: 1n << 61n, max: 1n << 63n }),
);
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 1n << 52n }),
  fc.bigInt({ min: 0n, max: 10n ** 12n }),
  fc.bigInt({ min: 0n, max: 1_000n }),
);
const amounts = fc.array(amount, { minLength: 1, maxLength: 6 });

const pools: fc.Arbitrary<DammV2State> = fc
  .record({
    liquidityBits: fc.integer({ min: 0, max: 126 }),
    priceBits: fc.integer({ min: 31, max: 96 }),
    offset: fc.bigInt({ min: 0n, max: 1n << 30n }),
    range: fc.constantFrom("whole", "wide", "narrow", "none") as fc.Arbitrary<string>,
    collectFeeMode: fc.constantFrom("both" as const, "only-b" as const, "compounding" as const),
    compoundingFeeBps: fc.bigInt({ min: 0n, max: 10_000n }),
    activationPoint: fc.bigInt({ min: -5n, max: 100_000n }),
    activationType: fc.constantFrom("slot" as const, "time" as const),
    isEnabled: fc.constantFrom(true, true, true, false),
    initSqrtPrice: fc.bigInt({ min: 0n, max: 1n << 70n }),
    baseFee,
    dynamicFee: fc.oneof(fc.constant(null), dynamicFee),
    held: fc.tuple(reserve, reserve, fc.option(reserve), fc.option(reserve)),
  })
  .map(({ liquidityBits, priceBits, offset, range, activationPoint, held, ...rest }) => {
    const base = dammV2State();
    const sqrtPrice = (1n << BigInt(priceBits)) + offset;
    const ranges: Record<string, readonly [bigint, bigint]> = {
      whole: [base.sqrtMinPrice, base.sqrtMaxPrice],
      wide: [sqrtPrice / 3n, sqrtPrice * 3n],
      narrow: [sqrtPrice - (sqrtPrice >> 10n), sqrtPrice + (sqrtPrice >> 10n)],
      none: [sqrtPrice, sqrtPrice],
    };
    const [sqrtMinPrice, sqrtMaxPrice] = ranges[range] ?? [0n, 0n];
    const now = rest.activationType === "slot" ? CLOCK.slot : CLOCK.unixTimestamp;
    const [reserveA, reserveB, vaultA, vaultB] = held;
    return dammV2State({
      ...rest,
      liquidity: (1n << BigInt(liquidityBits)) + offset,
      sqrtPrice,
      sqrtMinPrice,
      sqrtMaxPrice,
      activationPoint: now - activationPoint,
      tokenA: { ...base.tokenA, reserve: reserveA, vaultAmount: vaultA },
      tokenB: { ...base.tokenB, reserve: reserveB, vaultAmount: vaultB },
    });
  });

test("every answer equals the reference's, over every fee mode, range and direction", () => {
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(pools, fc.boolean(), amounts, (state, isAToB, amountsIn) => {
      const { pool, accounts: known } = dammV2Fixture(state);
      const inputMint = isAToB ? MINT_A : MINT_B;
      const fast = openFastDammV2(pool, known, inputMint);
      if (fast === null) return;
      const order = { pool, known, inputMint, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDammV2, fast, order, tally);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(tally.proved > 500, `${tally.proved} proved, ${tally.asked} asked`);
});

test("a usual pool is proved on every amount: 60 bits of liquidity, amounts of a sale", () => {
  const tally = { proved: 0, asked: 0 };
  const usual = fc.record({
    liquidity: fc.bigInt({ min: 1n << 90n, max: 1n << 104n }),
    sqrtPrice: fc.bigInt({ min: 1n << 57n, max: 1n << 61n }),
  });
  fc.assert(
    fc.property(
      usual,
      fc.array(fc.bigInt({ min: 10_000n, max: 10n ** 12n })),
      (fields, amountsIn) => {
        const base = dammV2State();
        const held = { reserve: 1n << 61n, vaultAmount: 1n << 61n };
        const state = dammV2State({
          ...fields,
          tokenA: { ...base.tokenA, ...held },
          tokenB: { ...base.tokenB, ...held },
        });
        const { pool, accounts: known } = dammV2Fixture(state);
        const fast = openFastDammV2(pool, known, MINT_A);
        assert.ok(fast);
        const order = { pool, known, inputMint: MINT_A, amountsIn, clock: CLOCK };
        assertFastEqualsReference(meteoraDammV2, fast, order, tally);
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(tally.asked * 100 <= tally.proved, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const fixture = dammV2Fixture(dammV2State());
  const { pool } = fixture;
  const known = new Map(fixture.accounts);
  const fast = openFastDammV2(pool, known, MINT_A);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  const edit = (address: Address, write: (writer: ByteWriter) => void) => {
    const before = known.get(address);
    assert.ok(before);
    const writer = new ByteWriter(before.data.slice());
    write(writer);
    known.set(address, { ...before, data: writer.bytes });
    assert.ok(fast.refresh(known));
    const amountsIn = [12_345n, 10n ** 9n, 10n ** 11n];
    const order = { pool, known, inputMint: MINT_A, amountsIn, clock: CLOCK };
    assertFastEqualsReference(meteoraDammV2, fast, order, tally);
  };
  edit(pool, (at) => at.u128(POOL.sqrtPrice, 3n << 63n));
  edit(pool, (at) => at.u128(POOL.liquidity, 7_000_000_000_000n << 64n));
  edit(pool, (at) => at.u64(POOL.cliffFeeNumerator, 50_000_000n));
  edit(pool, (at) => at.u64(POOL.tokenBAmount, 10n ** 9n));
  edit(pool, (at) =>
    at
      .u64(POOL.tokenBAmount, 10n ** 15n)
      .u8(POOL.dynamicFeeInitialized, 1)
      .u32(POOL.variableFeeControl, 100_000)
      .u16(POOL.binStep, 1)
      .u128(POOL.binStepU128, 1_844_674_407_370_955n)
      .u128(POOL.sqrtPriceReference, 1n << 64n)
      .u128(POOL.volatilityAccumulator, 100_000n),
  );
  edit(pool, (at) => at.u128(POOL.volatilityAccumulator, 4_000_000n));
  edit(testAddress(5), (at) => at.u64(64, 10n ** 8n));
  edit(pool, (at) => at.u8(POOL.poolStatus, 1));
  assert.equal(tally.proved, 24);
});

test("on damaged accounts it quotes as the reference does, or leaves it to it", () => {
  const { pool, accounts } = dammV2Fixture(dammV2State());
  const fast = openFastDammV2(pool, accounts, MINT_A);
  assert.ok(fast);
  const tally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), amounts, (steps, amountsIn) => {
      const known = mutated(accounts, steps);
      if (meteoraDammV2.decode(pool, known).kind === "unusable" || !fast.refresh(known)) return;
      const order = { pool, known, inputMint: MINT_A, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDammV2, fast, order, tally);
    }),
    { numRuns: 600 },
  );
  assert.ok(tally.proved > 50);
});
