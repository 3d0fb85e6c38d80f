import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { orcaWhirlpoolProgram } from "#demo/programs/orca-whirlpool.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { type Address, addressFromBytes } from "#src/units/address.ts";
import { divCeil, Q64 } from "#src/units/integer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertFastEqualsReference } from "#test/support/pools/fast-paths.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import {
  type WhirlpoolFixture,
  whirlpoolFixture,
  whirlpools,
} from "#test/support/pools/whirlpools.ts";
import { PatchedAccounts } from "../patched-accounts.ts";
import { orcaWhirlpool } from "./adapter.ts";
import { openFast, WhirlpoolFastQuoter } from "./fast.ts";
import { WHIRLPOOL } from "./layout.ts";
import type { WhirlpoolState } from "./pool-state.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";
import { stopsAhead } from "./tick-sequence.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const amount = fc
  .integer({ min: 0, max: 53 })
  .chain((bits) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }));

/** Every result of the fast path is the reference's; one left to the reference is never wrong. */
function assertEqual(
  quoter: FastQuoter,
  order: { pool: Address; known: AccountSet; inputMint: Address; amountsIn: readonly bigint[] },
): void {
  const tally = { proved: 0, asked: 0 };
  assertFastEqualsReference(orcaWhirlpool, quoter, { ...order, clock: CLOCK }, tally);
}

/** Amounts around those that end exactly at a stop. */
function boundaries(state: WhirlpoolState, aToB: boolean): readonly bigint[] {
  const found: bigint[] = [];
  let { sqrtPriceX64, liquidity } = state;
  let consumed = 0n;
  for (const stop of stopsAhead(state, aToB ? "down" : "up")) {
    const targetX64 = sqrtPriceAtTick(stop.tick);
    const area = liquidity * (aToB ? sqrtPriceX64 - targetX64 : targetX64 - sqrtPriceX64);
    const net = aToB ? divCeil(area << 64n, sqrtPriceX64 * targetX64) : divCeil(area, Q64);
    consumed += divCeil(net * 1_000_000n, 1_000_000n - BigInt(state.feeRatePpm));
    for (const near of [-2n, -1n, 0n, 1n, 2n]) found.push(consumed + near);
    liquidity += aToB ? -stop.liquidityNet : stop.liquidityNet;
    sqrtPriceX64 = targetX64;
  }
  return found.filter((value) => value >= 0n && value < 1n << 53n);
}

test("equals the reference on any pool and amount, at tick and array boundaries too", () => {
  let opened = 0;
  fc.assert(
    fc.property(
      whirlpools,
      fc.array(amount, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (fields, amounts, aToB) => {
        const { adaptiveFee: _, ...rest } = fields;
        const { pool, mintA, mintB, known } = whirlpoolFixture(rest);
        const inputMint = aToB ? mintA : mintB;
        const quoter = openFast(pool, known, inputMint);
        if (quoter === null) return;
        const state = decodedState(orcaWhirlpool, pool, known);
        const tried = [...amounts, ...boundaries(state, aToB)];
        assertEqual(quoter, { pool, known, inputMint, amountsIn: tried });
        opened++;
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(opened > 100);
});

test("hostile liquidity and prices are equal or left to the reference", () => {
  const wide: fc.Arbitrary<WhirlpoolFixture> = fc
    .record({
      tick: fc.integer({ min: -443_000, max: 443_000 }),
      liquidity: fc.integer({ min: 0, max: 120 }).map((bits) => (1n << BigInt(bits)) + 7n),
      below: fc.integer({ min: 1, max: 500 }),
      above: fc.integer({ min: 1, max: 500 }),
      feeRatePpm: fc.constantFrom(0, 1, 2_500, 60_000),
      arrayKind: fc.constantFrom("fixed" as const, "dynamic" as const),
    })
    .map(({ tick, liquidity, below, above, ...rest }) => ({
      ...rest,
      tickSpacing: 1,
      sqrtPriceX64: sqrtPriceAtTick(tick) + 1n,
      positions: [{ lower: tick - below, upper: tick + above, liquidity }],
    }));
  fc.assert(
    fc.property(wide, fc.array(amount, { minLength: 4, maxLength: 8 }), (fields, amounts) => {
      const { pool, mintA, mintB, known } = whirlpoolFixture(fields);
      const state = decodedState(orcaWhirlpool, pool, known);
      for (const inputMint of [mintA, mintB]) {
        const quoter = openFast(pool, known, inputMint);
        if (quoter === null) continue;
        const tried = [...amounts, ...boundaries(state, inputMint === mintA)];
        assertEqual(quoter, { pool, known, inputMint, amountsIn: tried });
      }
    }),
    { numRuns: 300 },
  );
});

test("an order that ends at a tick which the liquidity can't cross is refused, as any larger one", () => {
  const position = { lower: -200, upper: 304, liquidity: 1n << 40n };
  const sqrtPriceX64 = sqrtPriceAtTick(0);
  const {
    pool,
    mintA,
    mintB,
    known: loaded,
  } = whirlpoolFixture({
    ...{ tickSpacing: 8, sqrtPriceX64, positions: [position] },
  });
  const known = new PatchedAccounts(loaded);
  known.patch(pool, [{ offset: WHIRLPOOL.liquidity, value: (1n << 40n) - 1n, width: 16 }]);
  const state = decodedState(orcaWhirlpool, pool, known);
  for (const inputMint of [mintA, mintB]) {
    const quoter = openFast(pool, known, inputMint);
    assert.ok(quoter !== null);
    const amountsIn = boundaries(state, inputMint === mintA).slice(0, 5);
    assertEqual(quoter, { pool, known, inputMint, amountsIn });
    const filled = amountsIn.filter(
      (amountIn) =>
        orcaWhirlpool.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK }).kind === "filled",
    );
    assert.equal(filled.length, 2, "those one and two units before the tick");
  }
});

test("stays equal while swaps, liquidity and fees move the pool's bytes", () => {
  const baseMint = testAddress(2);
  const accounts = new Map<Address, Account | null>([
    [WSOL, mintAccount({ supply: 10n ** 18n, decimals: 9, slot: 1n })],
    [baseMint, mintAccount({ supply: 10n ** 15n, decimals: 6, slot: 1n })],
  ]);
  const ledger = { get: (address: Address) => accounts.get(address) ?? null };
  const apply = (changes: ReadonlyMap<Address, Account | null> | null | undefined): void => {
    for (const [address, account] of changes ?? []) accounts.set(address, account);
  };
  let made = 0;
  const opened = orcaWhirlpoolProgram.createPool(ledger, {
    baseMint,
    quoteMint: WSOL,
    baseAmount: 200_000_000_000_000n,
    quoteAmount: 400_000_000_000n,
    creator: testAddress(90),
    clock: CLOCK,
    freshAddress: () => addressFromBytes(new Uint8Array(32).fill(100 + made++)),
  });
  apply(opened.changes);
  const { pool } = opened;
  const quoters = [baseMint, WSOL].map((mint) => {
    const quoter = openFast(pool, ledger, mint);
    if (quoter === null) throw new Error("the demo pool is in range");
    return { mint, quoter };
  });
  for (let step = 0; step < 120; step++) {
    const isSale = (step * 7) % 5 < 3;
    const inputMint = isSale ? baseMint : WSOL;
    const size = BigInt(1 + ((step * 7919) % 97));
    const amountIn = isSale ? size * 90_000_000_000n : size * 220_000_000n;
    const trade = { pool, inputMint, outputMint: isSale ? WSOL : baseMint, amountIn };
    const result = orcaWhirlpoolProgram.swap(ledger, { ...trade, user: pool, clock: CLOCK });
    if (result.kind === "done") apply(result.changes);
    if (step % 13 === 5) apply(orcaWhirlpoolProgram.changeLiquidity(ledger, pool, 900, CLOCK));
    if (step % 17 === 7) apply(orcaWhirlpoolProgram.setFee?.(ledger, pool, 1_000 + step, CLOCK));
    for (const { mint, quoter } of quoters) {
      assert.ok(quoter.refresh(ledger));
      const amounts = [1n, 1_000n, 10n ** 9n, 5n * 10n ** 10n, 10n ** 12n, 3n * 10n ** 13n];
      assertEqual(quoter, { pool, known: ledger, inputMint: mint, amountsIn: amounts });
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

test("nothing is uncertified in a pool of ordinary size", () => {
  const { pool, mintA, known } = whirlpoolFixture({
    tickSpacing: 64,
    sqrtPriceX64: sqrtPriceAtTick(-60_000) + 5n,
    positions: Array.from({ length: 30 }, (_, index) => ({
      lower: -60_032 - (index + 1) * 64,
      upper: -59_968 + (index + 1) * 64,
      liquidity: 300_000_000_000n + BigInt(index),
    })),
  });
  const quoter = openFast(pool, known, mintA);
  if (!(quoter instanceof WhirlpoolFastQuoter)) throw new Error("the pool is in range");
  const amounts = [1n, 2n, 4n, 10n, 20n, 100n].map((size) => size * 50_000_000_000n);
  assertEqual(quoter, { pool, known, inputMint: mintA, amountsIn: amounts });
  assert.equal(quoter.table.uncertified, 0);
  assert.ok(quoter.table.steps > 30);
});

test("a sale is refused where its output vault holds less than it pays, on every path", () => {
  const {
    pool,
    mintA,
    mintB,
    known: loaded,
  } = whirlpoolFixture({
    tickSpacing: 8,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -800, upper: 800, liquidity: 1n << 40n }],
  });
  for (const [inputMint, vault] of [
    [mintA, testAddress(25)],
    [mintB, testAddress(24)],
  ] as const) {
    const known = new PatchedAccounts(loaded);
    const quoter = openFast(pool, known, inputMint);
    assert.ok(quoter !== null);
    const amountsIn = [1_000_000n, 2_000_000n, 3_000_000n];
    const [, paid, most] =
      orcaWhirlpool.quoteAscending?.(decodedState(orcaWhirlpool, pool, known), {
        ...{ inputMint, amountsIn, clock: CLOCK },
      }) ?? [];
    assert.ok(paid && most);
    for (const [held, filled] of [
      [most, 3],
      [most - 1n, 2],
      [paid, 2],
      [paid - 1n, 1],
      [0n, 0],
    ] as const) {
      known.patchTokenAmount(vault, held);
      assert.ok(quoter.refresh(known));
      assertEqual(quoter, { pool, known, inputMint, amountsIn });
      const state: WhirlpoolState = decodedState(orcaWhirlpool, pool, known);
      const ascending = orcaWhirlpool.quoteAscending?.(state, {
        inputMint,
        amountsIn,
        clock: CLOCK,
      });
      assert.equal(ascending?.filter((paid) => paid !== null).length, filled);
      for (const [index, amountIn] of amountsIn.entries()) {
        const quote = orcaWhirlpool.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
        assert.equal(amountOut(quote), ascending?.[index] ?? "insufficient-liquidity");
      }
    }
  }
});
