import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { orcaWhirlpoolProgram } from "#demo/programs/orca-whirlpool.ts";
import { testFastTickLaws } from "#test/support/pools/fast-tick-pool-laws.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import {
  type WhirlpoolFixture,
  whirlpoolFixture,
  whirlpools,
} from "#test/support/pools/whirlpools.ts";
import { orcaWhirlpool } from "./adapter.ts";
import { openFast } from "./fast.ts";
import { WHIRLPOOL } from "./layout.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";
import { stopsAhead } from "./tick-sequence.ts";

testFastTickLaws({
  venue: orcaWhirlpool,
  program: orcaWhirlpoolProgram,
  pools: whirlpools.map(({ adaptiveFee: _, ...rest }): WhirlpoolFixture => rest),
  hostile: fc.record({
    feeRatePpm: fc.constantFrom(0, 1, 2_500, 60_000),
    arrayKind: fc.constantFrom("fixed" as const, "dynamic" as const),
  }),
  fixture: whirlpoolFixture,
  feePpm: ({ feeRatePpm }) => feeRatePpm,
  stops: stopsAhead,
  sqrtPriceAtTick,
  spacings: { fine: 8, usual: 64 },
  highTick: 443_000,
  liquidityOffset: WHIRLPOOL.liquidity,
  vaults: { a: testAddress(24), b: testAddress(25) },
});

test("pools that doubles can't hold or don't know are left to the reference", () => {
  const even: WhirlpoolFixture = {
    tickSpacing: 8,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -800, upper: 800, liquidity: 1n << 40n }],
  };
  const fee = { epoch: 0n, maximum: 5n, feeBps: 5 };
  const adaptiveFee = {
    filterPeriod: 30n,
    decayPeriod: 600n,
    reductionFactor: 5000,
    controlFactor: 0,
    maxAccumulator: 350_000,
    groupSize: 8,
    majorSwapThresholdTicks: 64,
    lastReferenceUpdate: 0n,
    lastMajorSwap: 0n,
    volatilityReference: 0,
    groupReference: 0,
    accumulator: 0,
  };
  const first = (fields: WhirlpoolFixture) => {
    const { pool, mintA, known } = whirlpoolFixture(fields);
    return openFast(pool, known, mintA);
  };
  assert.notEqual(first(even), null);
  assert.equal(first({ ...even, adaptiveFee }), null);
  assert.equal(first({ ...even, transferFeeB: { older: fee, newer: fee } }), null);
  assert.equal(first({ ...even, sqrtPriceX64: sqrtPriceAtTick(430_000) }), null);
  const { pool, mintA, known, accounts } = whirlpoolFixture(even);
  const quoter = openFast(pool, known, mintA);
  for (const gone of [pool, testAddress(22), testAddress(23), testAddress(24), testAddress(25)]) {
    assert.ok(accounts.has(gone));
    const without = new Map(known);
    without.delete(gone);
    assert.equal(quoter?.refresh(without), false, gone);
  }
  assert.ok(quoter?.refresh(known));
});
