import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { raydiumClmmProgram } from "#demo/programs/raydium-clmm.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import type { Address } from "#src/units/address.ts";
import { divCeil, Q64 } from "#src/units/integer.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import { type ClmmFixture, clmmFixture, clmmPools } from "#test/support/pools/clmm-pools.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertFastEqualsReference } from "#test/support/pools/fast-paths.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { PatchedAccounts } from "../patched-accounts.ts";
import { raydiumClmm } from "./adapter.ts";
import { readPoolHeader } from "./decode.ts";
import { ClmmFastQuoter, openFast } from "./fast.ts";
import { POOL_STATE } from "./layout.ts";
import type { ClmmState } from "./pool-state.ts";
import { nextTickIndex } from "./quote.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";

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
  assertFastEqualsReference(raydiumClmm, quoter, { ...order, clock: CLOCK }, tally);
}

/** Amounts around those that end exactly at a tick, as far as the program's integers hold them. */
function boundaries(state: ClmmState, zeroForOne: boolean): readonly bigint[] {
  const feePpm = BigInt(state.tradeFeePpm);
  const found: bigint[] = [];
  let { sqrtPriceX64, liquidity } = state;
  let consumed = 0n;
  let index = nextTickIndex(state, zeroForOne ? "down" : "up");
  for (let tick = state.ticks[index]; tick !== undefined; tick = state.ticks[index]) {
    const targetX64 = sqrtPriceAtTick(tick.tick);
    const area = liquidity * (zeroForOne ? sqrtPriceX64 - targetX64 : targetX64 - sqrtPriceX64);
    const net = zeroForOne ? divCeil(area << 64n, sqrtPriceX64 * targetX64) : divCeil(area, Q64);
    consumed += divCeil(net * 1_000_000n, 1_000_000n - feePpm);
    for (const near of [-2n, -1n, 0n, 1n, 2n]) found.push(consumed + near);
    liquidity += zeroForOne ? -tick.liquidityNet : tick.liquidityNet;
    sqrtPriceX64 = targetX64;
    index += zeroForOne ? -1 : 1;
  }
  return found.filter((value) => value >= 0n && value < 1n << 53n);
}

test("equals the reference on any pool and amount, at tick boundaries too", () => {
  let opened = 0;
  fc.assert(
    fc.property(
      clmmPools,
      fc.array(amount, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (fields, amounts, zeroForOne) => {
        const { dynamicFee: _, ...rest } = fields;
        const { pool, mintA, mintB, accounts } = clmmFixture(rest);
        const inputMint = zeroForOne ? mintA : mintB;
        const quoter = openFast(pool, accounts, inputMint);
        if (quoter === null) return;
        const state = decodedState(raydiumClmm, pool, accounts);
        const tried = [...amounts, ...boundaries(state, zeroForOne)];
        assertEqual(quoter, { pool, known: accounts, inputMint, amountsIn: tried });
        opened++;
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(opened > 100);
});

test("hostile liquidity and prices are equal or left to the reference", () => {
  const wide: fc.Arbitrary<ClmmFixture> = fc
    .record({
      tick: fc.integer({ min: -430_000, max: 430_000 }),
      liquidity: fc.integer({ min: 0, max: 120 }).map((bits) => (1n << BigInt(bits)) + 7n),
      below: fc.integer({ min: 1, max: 500 }),
      above: fc.integer({ min: 1, max: 500 }),
      tradeFeePpm: fc.constantFrom(0, 1, 2_500, 500_000, 999_999),
    })
    .map(({ tick, liquidity, below, above, tradeFeePpm }) => ({
      tickSpacing: 1,
      sqrtPriceX64: sqrtPriceAtTick(tick) + 1n,
      positions: [{ lower: tick - below, upper: tick + above, liquidity }],
      tradeFeePpm,
    }));
  fc.assert(
    fc.property(wide, fc.array(amount, { minLength: 4, maxLength: 8 }), (fields, amounts) => {
      const { pool, mintA, mintB, accounts } = clmmFixture(fields);
      const state = decodedState(raydiumClmm, pool, accounts);
      for (const inputMint of [mintA, mintB]) {
        const quoter = openFast(pool, accounts, inputMint);
        if (quoter === null) continue;
        const tried = [...amounts, ...boundaries(state, inputMint === mintA)];
        assertEqual(quoter, { pool, known: accounts, inputMint, amountsIn: tried });
      }
    }),
    { numRuns: 300 },
  );
});

test("an order that ends at a tick which the liquidity can't cross is refused, as any larger one", () => {
  const position = { lower: -200, upper: 300, liquidity: 1n << 40n };
  const sqrtPriceX64 = sqrtPriceAtTick(0);
  const { pool, mintA, mintB, accounts } = clmmFixture({
    ...{ tickSpacing: 10, sqrtPriceX64, positions: [position] },
  });
  const known = new PatchedAccounts(accounts);
  known.patch(pool, [{ offset: POOL_STATE.liquidity, value: (1n << 40n) - 1n, width: 16 }]);
  const state = decodedState(raydiumClmm, pool, known);
  for (const inputMint of [mintA, mintB]) {
    const quoter = openFast(pool, known, inputMint);
    assert.ok(quoter !== null);
    const amountsIn = boundaries(state, inputMint === mintA).slice(0, 5);
    assertEqual(quoter, { pool, known, inputMint, amountsIn });
    const filled = amountsIn.filter(
      (amountIn) =>
        raydiumClmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK }).kind === "filled",
    );
    assert.equal(filled.length, 2, "those one and two units before the tick");
  }
});

test("stays equal while swaps, liquidity and fees move the pool's bytes", () => {
  const baseMint = testAddress(2);
  const ledger = new Map<Address, Account | null>([
    [WSOL, mintAccount({ supply: 10n ** 18n, decimals: 9, slot: 1n })],
    [baseMint, mintAccount({ supply: 10n ** 15n, decimals: 6, slot: 1n })],
  ]);
  const apply = (changes: ReadonlyMap<Address, Account | null> | null | undefined): void => {
    for (const [address, account] of changes ?? []) ledger.set(address, account);
  };
  apply(raydiumClmmProgram.setup(CLOCK));
  const opened = raydiumClmmProgram.createPool(ledger, {
    baseMint,
    quoteMint: WSOL,
    baseAmount: 200_000_000_000_000n,
    quoteAmount: 400_000_000_000n,
    creator: testAddress(90),
    clock: CLOCK,
    freshAddress: () => testAddress(91),
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
    const result = raydiumClmmProgram.swap(ledger, { ...trade, user: pool, clock: CLOCK });
    if (result.kind === "done") apply(result.changes);
    if (step % 13 === 5) apply(raydiumClmmProgram.changeLiquidity(ledger, pool, 900, CLOCK));
    if (step % 17 === 7) apply(raydiumClmmProgram.setFee?.(ledger, pool, 1_000 + step, CLOCK));
    apply(raydiumClmmProgram.setPaused?.(ledger, pool, step % 29 === 11, CLOCK));
    for (const { mint, quoter } of quoters) {
      assert.ok(quoter.refresh(ledger));
      const amounts = [1n, 1_000n, 10n ** 9n, 5n * 10n ** 10n, 10n ** 12n, 3n * 10n ** 13n];
      assertEqual(quoter, { pool, known: ledger, inputMint: mint, amountsIn: amounts });
    }
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

test("nothing is uncertified in a pool of ordinary size", () => {
  const { pool, mintA, accounts } = clmmFixture({
    tickSpacing: 60,
    sqrtPriceX64: sqrtPriceAtTick(-60_000) + 5n,
    positions: Array.from({ length: 30 }, (_, index) => ({
      lower: -60_000 - (index + 1) * 60,
      upper: -60_000 + (index + 1) * 60,
      liquidity: 300_000_000_000n + BigInt(index),
    })),
  });
  const quoter = openFast(pool, accounts, mintA);
  if (!(quoter instanceof ClmmFastQuoter)) throw new Error("the pool is in range");
  const amounts = [1n, 2n, 4n, 10n, 20n, 100n].map((size) => size * 50_000_000_000n);
  assertEqual(quoter, { pool, known: accounts, inputMint: mintA, amountsIn: amounts });
  assert.equal(quoter.table.uncertified, 0);
  assert.ok(quoter.table.steps > 30);
});

test("a sale is refused where its output vault holds less than it pays, on every path", () => {
  const { pool, mintA, mintB, accounts } = clmmFixture({
    tickSpacing: 10,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -1000, upper: 1000, liquidity: 1n << 40n }],
  });
  for (const [inputMint, vault] of [
    [mintA, testAddress(15)],
    [mintB, testAddress(14)],
  ] as const) {
    const known = new PatchedAccounts(accounts);
    const quoter = openFast(pool, known, inputMint);
    assert.ok(quoter !== null);
    const amountsIn = [1_000_000n, 2_000_000n, 3_000_000n];
    const [, paid, most] =
      raydiumClmm.quoteAscending?.(decodedState(raydiumClmm, pool, known), {
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
      const state: ClmmState = decodedState(raydiumClmm, pool, known);
      const ascending = raydiumClmm.quoteAscending?.(state, { inputMint, amountsIn, clock: CLOCK });
      assert.equal(ascending?.filter((paid) => paid !== null).length, filled);
      for (const [index, amountIn] of amountsIn.entries()) {
        const quote = raydiumClmm.quoteExactIn(state, { inputMint, amountIn, clock: CLOCK });
        assert.equal(amountOut(quote), ascending?.[index] ?? "insufficient-liquidity");
      }
    }
  }
});
