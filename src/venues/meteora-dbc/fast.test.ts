import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Address } from "#src/units/address.ts";
import {
  ACTIVATION_SLOT,
  BASE_MINT,
  CLOCK,
  type DbcPool,
  dbcAccounts,
  POOL,
  QUOTE_MINT,
} from "#test/support/dbc-pool.ts";
import { assertFastEqualsReference, type FastTally } from "#test/support/fast-paths.ts";
import { mutated, mutation } from "#test/support/hostile-accounts.ts";
import type { Account } from "../account-set.ts";
import { meteoraDbc } from "./adapter.ts";
import { openFastDbc } from "./fast.ts";
import type { BaseFee, CurvePoint } from "./state.ts";

const START_PRICE = 10n ** 17n;

const mints = fc.constantFrom(BASE_MINT, QUOTE_MINT);
const amounts = fc.oneof(
  fc.bigInt(0n, 1n << 32n),
  fc.bigInt(0n, 1n << 46n),
  fc.bigInt(0n, (1n << 53n) - 1n),
  fc.bigInt(0n, 99n),
);
const sizes = fc.array(amounts, { minLength: 1, maxLength: 6 });
const curves: fc.Arbitrary<readonly CurvePoint[]> = fc
  .array(
    fc.record({
      width: fc.bigInt(1n, 1n << 58n),
      liquidity: fc.oneof(fc.bigInt(1n << 90n, 1n << 108n), fc.bigInt(1n, 1n << 40n)),
    }),
    { minLength: 1, maxLength: 16 },
  )
  .map((stretches) => {
    let sqrtPrice = START_PRICE;
    return stretches.map(({ width, liquidity }) => {
      sqrtPrice += width;
      return { sqrtPrice, liquidity };
    });
  });
const cliffNumerator = fc.bigInt(0n, 990_000_000n);
const baseFees: fc.Arbitrary<BaseFee> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("linear" as const, "exponential" as const),
    cliffNumerator,
    periods: fc.integer({ min: 0, max: 100 }),
    periodLength: fc.bigInt(0n, 100n),
    reduction: fc.bigInt(0n, 11_000n),
  }),
  fc.record({
    kind: fc.constant("rate-limiter" as const),
    cliffNumerator,
    incrementBps: fc.integer({ min: 0, max: 2_000 }),
    duration: fc.bigInt(0n, 2_000n),
    referenceAmount: fc.bigInt(0n, 10n ** 10n),
  }),
);
const pools: fc.Arbitrary<DbcPool> = fc
  .record({
    curve: curves,
    baseFee: baseFees,
    collects: fc.constantFrom("quote" as const, "output" as const),
    place: fc.bigInt(0n, 1_000n),
    quoteReserve: fc.bigInt(0n, 84_999_999_999n),
    baseReserve: fc.bigInt(0n, 10n ** 15n),
  })
  .map(({ place, quoteReserve, baseReserve, ...fields }) => {
    const end = fields.curve.at(-1)?.sqrtPrice ?? START_PRICE;
    const sqrtPrice = START_PRICE + ((end - START_PRICE) * place) / 1_000n;
    return {
      config: { ...fields, sqrtStartPrice: START_PRICE, migrationSqrtPrice: end },
      state: { sqrtPrice, quoteReserve, baseReserve },
    };
  });

test("every answer equals the reference's, both ways, under every fee mode", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  const slots = fc.bigInt(0n, 4_000n).map((elapsed) => ACTIVATION_SLOT + elapsed);
  fc.assert(
    fc.property(pools, mints, sizes, slots, (pool, inputMint, amountsIn, slot) => {
      const known = dbcAccounts(pool);
      const fast = openFastDbc(POOL, known, inputMint);
      assert.ok(fast);
      const order = { pool: POOL, known, inputMint, amountsIn, clock: { ...CLOCK, slot } };
      assertFastEqualsReference(meteoraDbc, fast, order, tally);
    }),
    { numRuns: 1_500 },
  );
  assert.ok(tally.proved > 2_000, `${tally.proved} proved, ${tally.asked} asked`);
});

test("sales that end on a stretch's very edge, or beyond the start, are paid as the reference pays them", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(pools, (pool) => {
      const roomy = { quoteReserve: 84_999_999_999n, sqrtPrice: pool.state?.sqrtPrice ?? 0n };
      const known = dbcAccounts({ ...pool, state: roomy });
      const fast = openFastDbc(POOL, known, BASE_MINT);
      assert.ok(fast);
      const amountsIn = edges(known);
      const order = { pool: POOL, known, inputMint: BASE_MINT, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDbc, fast, order, tally);
    }),
    { numRuns: 100 },
  );
  assert.ok(tally.proved > 300, `${tally.proved} proved, ${tally.asked} asked`);
});

/** The largest sale that is filled, and those beside it. */
function edges(known: ReadonlyMap<Address, Account | null>): readonly bigint[] {
  const found = meteoraDbc.decode(POOL, known);
  assert.ok(found.kind === "pool");
  const isFilled = (amountIn: bigint) =>
    meteoraDbc.quoteExactIn(found.state, { inputMint: BASE_MINT, amountIn, clock: CLOCK }).kind ===
    "filled";
  let filled = 1n;
  let refused = 1n << 52n;
  while (refused - filled > 1n) {
    const middle = (filled + refused) >> 1n;
    if (isFilled(middle)) filled = middle;
    else refused = middle;
  }
  return [-2n, -1n, 0n, 1n, 2n, 3n, 1_000n]
    .map((beside) => filled + beside)
    .filter((size) => size > 0n);
}

test("a usual curve is proved for nearly every order", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  const known = dbcAccounts({});
  const usual = fc.array(fc.bigInt(10n ** 6n, 10n ** 14n), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(usual, (amountsIn) => {
      const fast = openFastDbc(POOL, known, BASE_MINT);
      assert.ok(fast);
      const order = { pool: POOL, known, inputMint: BASE_MINT, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDbc, fast, order, tally);
    }),
    { numRuns: 200 },
  );
  assert.ok(tally.asked <= tally.proved / 100, `${tally.proved} proved, ${tally.asked} asked`);
});

test("after a refresh it quotes the new bytes, whatever part of them changed", () => {
  const tally: FastTally = { proved: 0, asked: 0 };
  fc.assert(
    fc.property(pools, pools, mints, sizes, (before, after, inputMint, amountsIn) => {
      const fast = openFastDbc(POOL, dbcAccounts(before), inputMint);
      assert.ok(fast);
      const known = dbcAccounts(after);
      assert.equal(fast.refresh(known), true);
      const order = { pool: POOL, known, inputMint, amountsIn, clock: CLOCK };
      assertFastEqualsReference(meteoraDbc, fast, order, tally);
    }),
    { numRuns: 200 },
  );
  assert.ok(tally.proved > 200);
});

test("a complete curve refuses in doubles too, and completing purchases are left to the reference", () => {
  const full = openFastDbc(
    POOL,
    dbcAccounts({ state: { quoteReserve: 85n * 10n ** 9n } }),
    BASE_MINT,
  );
  assert.ok(full);
  const amountsOut = new Float64Array(1);
  full.quoteAscending(Float64Array.of(1e9), amountsOut, CLOCK);
  assert.equal(amountsOut[0], -1);
  const nearly = { state: { quoteReserve: 84n * 10n ** 9n } };
  const fast = openFastDbc(POOL, dbcAccounts(nearly), QUOTE_MINT);
  assert.ok(fast);
  fast.quoteAscending(Float64Array.of(5e9), amountsOut, CLOCK);
  assert.ok(Number.isNaN(amountsOut[0]));
});

test("prices of zero, which divide nothing, are left to the reference", () => {
  assert.equal(openFastDbc(POOL, dbcAccounts({ config: { sqrtStartPrice: 0n } }), BASE_MINT), null);
  assert.equal(openFastDbc(POOL, dbcAccounts({ state: { sqrtPrice: 0n } }), BASE_MINT), null);
});

test("on damaged accounts it answers as the reference does, or not at all", () => {
  const accounts = new Map<Address, Account>();
  for (const [at, account] of dbcAccounts({})) if (account !== null) accounts.set(at, account);
  const tally: FastTally = { proved: 0, asked: 0 };
  const amountsIn = [1n, 10n ** 6n, 10n ** 10n, 10n ** 13n];
  fc.assert(
    fc.property(
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      mints,
      (mutations, inputMint) => {
        const known = mutated(accounts, mutations);
        if (meteoraDbc.decode(POOL, known).kind === "unusable") return;
        const fast = openFastDbc(POOL, known, inputMint);
        if (fast === null) return;
        const order = { pool: POOL, known, inputMint, amountsIn, clock: CLOCK };
        assertFastEqualsReference(meteoraDbc, fast, order, tally);
      },
    ),
    { numRuns: 500 },
  );
  assert.ok(tally.proved > 200);
});
