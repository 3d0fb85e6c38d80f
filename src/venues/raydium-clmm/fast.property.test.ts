import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { raydiumClmmProgram } from "#demo/programs/raydium-clmm.ts";
import { type ClmmFixture, clmmFixture, clmmPools } from "#test/support/pools/clmm-pools.ts";
import { assertFastEqualsReference } from "#test/support/pools/fast-paths.ts";
import { testFastTickLaws } from "#test/support/pools/fast-tick-pool-laws.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { raydiumClmm } from "./adapter.ts";
import { readPoolHeader } from "./decode.ts";
import { openFast } from "./fast.ts";
import { POOL_STATE } from "./layout.ts";
import { nextTickIndex } from "./quote.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";

testFastTickLaws({
  venue: raydiumClmm,
  program: raydiumClmmProgram,
  pools: clmmPools.map(({ dynamicFee: _, ...rest }): ClmmFixture => rest),
  hostile: fc.record({ tradeFeePpm: fc.constantFrom(0, 1, 2_500, 500_000, 999_999) }),
  fixture(fields) {
    const fixture = clmmFixture(fields);
    return { ...fixture, known: fixture.accounts };
  },
  feePpm: ({ tradeFeePpm }) => tradeFeePpm,
  stops(state, direction) {
    const index = nextTickIndex(state, direction);
    const { ticks } = state;
    return direction === "down" ? ticks.slice(0, index + 1).reverse() : ticks.slice(index);
  },
  sqrtPriceAtTick,
  spacings: { fine: 10, usual: 60 },
  highTick: 430_000,
  liquidityOffset: POOL_STATE.liquidity,
  vaults: { a: testAddress(14), b: testAddress(15) },
});

test("a pool opens in the second in which the reference opens it", () => {
  const openTime = 1_790_000_000n;
  const { pool, mintA, accounts } = clmmFixture({
    tickSpacing: 10,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -1000, upper: 1000, liquidity: 1n << 40n }],
    openTime,
  });
  const quoter = openFast(pool, accounts, mintA);
  assert.ok(quoter !== null);
  for (const seconds of [0n, 1n]) {
    const tally = { proved: 0, asked: 0 };
    const clock = { slot: 1n, unixTimestamp: openTime + seconds, epoch: 925n };
    const orders = { pool, known: accounts, inputMint: mintA, amountsIn: [1_000_000n], clock };
    assertFastEqualsReference(raydiumClmm, quoter, orders, tally);
    assert.equal(tally.proved, 1);
  }
});

test("pools that doubles can't hold or don't know are left to the reference", () => {
  const even = {
    tickSpacing: 10,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -1000, upper: 1000, liquidity: 1n << 40n }],
  };
  const fee = { epoch: 0n, maximum: 5n, feeBps: 5 };
  const dynamicFee = {
    filterPeriod: 30n,
    decayPeriod: 600n,
    reductionFactor: 5000,
    control: 1,
    maxAccumulator: 1_000,
    indexReference: 0,
    volatilityReference: 0,
    accumulator: 0,
    lastUpdate: 0n,
  };
  const first = (fields: ClmmFixture) => {
    const { pool, mintA, accounts } = clmmFixture(fields);
    return openFast(pool, accounts, mintA);
  };
  assert.notEqual(first(even), null);
  assert.equal(first({ ...even, feeOn: 2 }), null);
  assert.equal(first({ ...even, dynamicFee }), null);
  assert.equal(first({ ...even, transferFee1: { older: fee, newer: fee } }), null);
  assert.equal(first({ ...even, sqrtPriceX64: sqrtPriceAtTick(430_000) }), null);
  const { pool, mintA, accounts } = clmmFixture(even);
  const quoter = openFast(pool, accounts, mintA);
  const header = readPoolHeader(accounts.get(pool));
  if (header === null) throw new Error("the fixture has no pool");
  const { ammConfig, vault0, vault1, mint0, mint1 } = header;
  for (const address of [pool, ammConfig, vault0, vault1, mint0, mint1]) {
    const without = new Map(accounts);
    without.delete(address);
    assert.equal(quoter?.refresh(without), false, address);
  }
  assert.ok(quoter?.refresh(accounts));
});
