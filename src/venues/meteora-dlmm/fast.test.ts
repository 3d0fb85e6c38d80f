import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import {
  CLOCK,
  type DlmmPool,
  dlmmAccounts,
  MINT_X,
  MINT_Y,
  PAIR,
} from "#test/support/pools/dlmm-pool.ts";
import { assertFastEqualsReference, type FastTally } from "#test/support/pools/fast-paths.ts";
import { mutated, mutation } from "#test/support/pools/hostile-accounts.ts";
import type { Account } from "../account-set.ts";
import { meteoraDlmm } from "./adapter.ts";
import { openFastDlmm } from "./fast.ts";
import { swapExactIn } from "./quote.ts";
import type { DlmmState } from "./state.ts";

const amounts = fc.oneof(
  fc.bigInt({ min: 0n, max: 1n << 34n }),
  fc.bigInt({ min: 0n, max: 1n << 46n }),
  fc.bigInt({ min: 0n, max: 999n }),
);
const transferFees = fc
  .record({ feeBps: fc.integer({ min: 0, max: 10_000 }), maximum: amounts })
  .map((fee) => ({ older: { ...fee, epoch: 0n }, newer: { ...fee, epoch: 925n } }));
const pools: fc.Arbitrary<DlmmPool> = fc.record({
  parameters: fc.record({
    binStep: fc.constantFrom(1, 20, 100, 400),
    baseFactor: fc.integer({ min: 0, max: 65_535 }),
    baseFeePowerFactor: fc.constantFrom(0, 0, 0, 1, 3),
    collectsOnlyY: fc.boolean(),
    hasLimitOrders: fc.boolean(),
    variableFeeControl: fc.constantFrom(0, 7_500, 40_000, 2_000_000),
  }),
  activeId: fc.integer({ min: -200, max: 200 }),
  volatility: fc.record({
    accumulator: fc.integer({ min: 0, max: 400_000 }),
    reference: fc.integer({ min: 0, max: 200_000 }),
    indexReference: fc.integer({ min: -250, max: 250 }),
    lastUpdateTimestamp: fc
      .constantFrom(0n, 29n, 30n, 599n, 600n)
      .map((ago) => CLOCK.unixTimestamp - ago),
  }),
  bins: fc.uniqueArray(
    fc.record({ id: fc.integer({ min: -260, max: 260 }), x: amounts, y: amounts }),
    {
      minLength: 1,
      maxLength: 30,
      selector: ({ id }) => id,
    },
  ),
  transferFeeX: fc.option(transferFees, { freq: 3, nil: null }),
});
const mints = fc.constantFrom(MINT_X, MINT_Y);
const sizes = fc.array(amounts, { minLength: 1, maxLength: 6 });

function stateOf(known: ReadonlyMap<Address, Account | null>): DlmmState {
  const found = meteoraDlmm.decode(PAIR, known);
  assert.ok(found.kind === "pool");
  return found.state;
}

/** Sizes with which an order ends on, just before and just behind the edges of the first bins. */
function sizesAtEdges(state: DlmmState, inputMint: Address): readonly bigint[] {
  const lastBinOf = (amountIn: bigint) => {
    const result = swapExactIn(state, { inputMint, amountIn, clock: CLOCK });
    return result.kind === "filled" ? result.swap.after.activeId : null;
  };
  const found: bigint[] = [];
  let low = 1n;
  while (lastBinOf(low) === null && low < 1n << 40n) low *= 2n;
  for (let edge = 0; edge < 3; edge++) {
    const bin = lastBinOf(low);
    if (bin === null) return found;
    let inside = low;
    let outside = 1n << 52n;
    while (outside - inside > 1n) {
      const middle = (inside + outside) >> 1n;
      if (lastBinOf(middle) === bin) inside = middle;
      else outside = middle;
    }
    for (let beside = -3n; beside <= 3n; beside++) found.push(inside + beside);
    low = outside;
  }
  return found.filter((size) => size > 0n);
}

test("every answer equals the reference's, both ways, under every fee mode", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(pools, mints, sizes, (pool, inputMint, amountsIn) => {
      const known = dlmmAccounts(pool);
      const fast = openFastDlmm(PAIR, known, inputMint);
      assert.ok(fast);
      const order = { pool: PAIR, known, inputMint, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDlmm, fast, order, tally);
    }),
    { numRuns: 400 },
  );
  assert.ok(tally.proved > 800, `${tally.proved} proved, ${tally.asked} asked`);
  assert.ok(tally.asked < tally.proved / 20);
});

test("orders that end on a bin's very edge, or dust beside it, are paid as the reference pays them", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(pools, mints, (pool, inputMint) => {
      const known = dlmmAccounts(pool);
      const fast = openFastDlmm(PAIR, known, inputMint);
      assert.ok(fast);
      const amountsIn = sizesAtEdges(stateOf(known), inputMint);
      const order = { pool: PAIR, known, inputMint, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDlmm, fast, order, tally);
    }),
    { numRuns: 60 },
  );
  assert.ok(tally.proved > 300, `${tally.proved} proved, ${tally.asked} asked`);
});

test("amounts up to 2^53 and beyond are proved or left to the reference", () => {
  const large = fc.bigInt({ min: 1n << 44n, max: (1n << 53n) - 1n });
  const tally: FastTally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.record({ x: large, y: large }), { minLength: 8, maxLength: 8 }),
      fc.integer({ min: -1_400, max: 1_400 }),
      mints,
      fc.array(large, { minLength: 4, maxLength: 4 }),
      (held, activeId, inputMint, amountsIn) => {
        const bins = held.map((bin, place) => ({ ...bin, id: activeId - 4 + place }));
        const known = dlmmAccounts({ activeId, bins });
        const fast = openFastDlmm(PAIR, known, inputMint);
        if (fast === null) return;
        const order = { pool: PAIR, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(meteoraDlmm, fast, order, tally);
      },
    ),
    { numRuns: 150 },
  );
  assert.ok(tally.proved > 100, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(pools, pools, mints, sizes, (before, after, inputMint, amountsIn) => {
      const fast = openFastDlmm(PAIR, dlmmAccounts(before), inputMint);
      assert.ok(fast);
      const known = dlmmAccounts(after);
      assert.equal(fast.refresh(known), true);
      const order = { pool: PAIR, known, inputMint, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDlmm, fast, order, tally);
      const moved = dlmmAccounts({ ...after, activeId: (after.activeId ?? 0) + 1 });
      assert.equal(fast.refresh(moved), true);
      assertFastEqualsReference(meteoraDlmm, fast, { ...order, known: moved }, tally);
    }),
    { numRuns: 120 },
  );
  assert.ok(tally.proved > 300);
});

test("limit orders on the side that is sold into are left to the reference, others are not", () => {
  const orders = { isAskSide: false, processedRemaining: 0n, open: 5n };
  const known = dlmmAccounts({ bins: [{ id: 0, x: 9n, y: 9n, orders }] });
  assert.equal(openFastDlmm(PAIR, known, MINT_X), null);
  assert.ok(openFastDlmm(PAIR, known, MINT_Y));
});

test("on damaged accounts it answers as the reference does, or not at all", () => {
  const bins = Array.from({ length: 150 }, (_, place) => ({ id: place - 75, x: 900n, y: 900n }));
  const accounts = new Map<Address, Account>();
  for (const [at, account] of dlmmAccounts({ bins }))
    if (account !== null) accounts.set(at, account);
  const tally: FastTally = { proved: 0, asked: 0 };
  const amountsIn = [1n, 5_000n, 40_000n, 1_000_000n];
  fc.assert(
    fc.property(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      mints,
      (mutations, inputMint) => {
        const known = mutated(accounts, mutations);
        if (meteoraDlmm.decode(PAIR, known).kind === "unusable") return;
        const opened = openFastDlmm(PAIR, known, inputMint);
        const refreshed = openFastDlmm(PAIR, accounts, inputMint);
        for (const fast of [opened, refreshed?.refresh(known) === true ? refreshed : null]) {
          if (fast === null) continue;
          const order = { pool: PAIR, known, inputMint, amountsIn, clock: CLOCK };
          assertFastEqualsReference(meteoraDlmm, fast, order, tally);
        }
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(tally.proved > 200);
});

test("a usual pair needs integers for fewer than one bin in a hundred", () => {
  const bins = Array.from({ length: 140 }, (_, place) => ({
    id: place - 69 - 560,
    x: place >= 69 ? 1_700_000_000_003n + BigInt(place) * 1_000_003n : 0n,
    y: place <= 69 ? 5_900_000_017n + BigInt(place) * 10_007n : 0n,
  }));
  const known = dlmmAccounts({ activeId: -560, bins });
  const fast = openFastDlmm(PAIR, known, MINT_X);
  assert.ok(fast);
  const amountsIn = Float64Array.from({ length: 6 }, (_, place) => 1e12 * 6 ** place + place);
  for (let round = 0; round < 10; round++) {
    fast.quoteAscending(amountsIn, new Float64Array(6), CLOCK);
  }
  assert.ok(fast.steps > 60);
  assert.ok(fast.exactSteps <= (fast.steps + bins.length) / 100);
});
