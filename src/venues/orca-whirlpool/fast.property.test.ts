import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { orcaWhirlpoolProgram } from "#demo/programs/orca-whirlpool.ts";
import { assertFastEqualsReference } from "#test/support/pools/fast-paths.ts";
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

test("the first and the last slot of the arrays in reach are the reference's, wherever the price moves", () => {
  const wide = { lower: -8000, upper: 8000, liquidity: 1n << 40n };
  const atLastSlot = { lower: 2000, upper: 2104, liquidity: 1n << 30n };
  const clock = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
  const amountsIn = Array.from({ length: 200 }, (_, step) => BigInt(step + 1) * 800_000_000n);
  for (const positions of [[wide], [wide, atLastSlot]]) {
    const at = (tick: number) =>
      whirlpoolFixture({ tickSpacing: 8, sqrtPriceX64: sqrtPriceAtTick(tick), positions });
    const { pool, mintA, mintB, known: first } = at(690);
    for (const inputMint of [mintA, mintB]) {
      const quoter = openFast(pool, first, inputMint);
      assert.ok(quoter !== null);
      for (const tick of [695, 696, 703, 704, 695, 0, -1, 0]) {
        const { known } = at(tick);
        assert.ok(quoter.refresh(known));
        const tally = { proved: 0, asked: 0 };
        const orders = { pool, known, inputMint, amountsIn, clock };
        assertFastEqualsReference(orcaWhirlpool, quoter, orders, tally);
        assert.ok(tally.proved > 150);
      }
    }
  }
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
