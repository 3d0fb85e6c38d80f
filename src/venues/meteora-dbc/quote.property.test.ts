import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  BASE_MINT,
  CLOCK,
  type DbcPool,
  dbcAccounts,
  POOL,
  QUOTE_MINT,
} from "#test/support/dbc-pool.ts";
import type { AccountSet } from "../account-set.ts";
import { meteoraDbc } from "./adapter.ts";
import type { DbcState } from "./state.ts";

const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n });
const mints = fc.constantFrom(BASE_MINT, QUOTE_MINT);
const pools: fc.Arbitrary<DbcPool> = fc.record({
  config: fc.record({
    collects: fc.constantFrom("quote" as const, "output" as const),
    creatorTradingFeePercent: fc.integer({ min: 0, max: 100 }),
    curve: fc
      .array(fc.record({ width: fc.bigInt(1n, 1n << 56n), liquidity: fc.bigInt(1n, 1n << 108n) }), {
        minLength: 1,
        maxLength: 16,
      })
      .map((stretches) => {
        let sqrtPrice = 100_000_000_000_000_000n;
        return stretches.map(({ width, liquidity }) => {
          sqrtPrice += width;
          return { sqrtPrice, liquidity };
        });
      }),
  }),
  state: fc.record({
    sqrtPrice: fc.bigInt(100_000_000_000_000_000n, 400_000_000_000_000_000n),
    quoteReserve: fc.bigInt(0n, 84_000_000_000n),
  }),
});

function stateOf(pool: DbcPool): DbcState {
  const found = meteoraDbc.decode(POOL, dbcAccounts(pool));
  assert.ok(found.kind === "pool");
  return found.state;
}

test("a filled sale pays at most the quote reserve, and takes it from there", () => {
  fc.assert(
    fc.property(pools, amounts, (pool, amountIn) => {
      const state = stateOf(pool);
      const quote = meteoraDbc.quoteExactIn(state, {
        inputMint: BASE_MINT,
        amountIn,
        clock: CLOCK,
      });
      if (quote.kind === "unfillable") return;
      assert.ok(quote.amountOut <= state.quoteReserve);
      assert.ok(quote.after.quoteReserve <= state.quoteReserve - quote.amountOut);
    }),
  );
});

test("more in never pays less", () => {
  fc.assert(
    fc.property(pools, mints, amounts, amounts, (pool, inputMint, amountIn, more) => {
      const state = stateOf(pool);
      const order = { inputMint, clock: CLOCK };
      const small = meteoraDbc.quoteExactIn(state, { ...order, amountIn });
      const large = meteoraDbc.quoteExactIn(state, { ...order, amountIn: amountIn + more });
      if (small.kind === "unfillable" || large.kind === "unfillable") return;
      assert.ok(large.amountOut >= small.amountOut);
    }),
  );
});

test("a round trip never profits", () => {
  fc.assert(
    fc.property(pools, mints, amounts, (pool, inputMint, amountIn) => {
      const there = meteoraDbc.quoteExactIn(stateOf(pool), { inputMint, amountIn, clock: CLOCK });
      if (there.kind === "unfillable") return;
      const back = meteoraDbc.quoteExactIn(there.after, {
        inputMint: inputMint === BASE_MINT ? QUOTE_MINT : BASE_MINT,
        amountIn: there.amountOut,
        clock: CLOCK,
      });
      assert.ok(back.kind === "unfillable" || back.amountOut <= amountIn);
    }),
  );
});

test("any bytes in any account give a pool or a reason, and every question an answer", () => {
  const original = [...dbcAccounts({})];
  fc.assert(
    fc.property(
      fc.nat({ max: original.length - 1 }),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 40 }),
      fc.oneof(fc.constant(0), fc.integer({ min: -200, max: 200 })),
      (place, flips, grow) => {
        const accounts = new Map(original);
        const [at, account] = original[place] ?? [];
        if (at === undefined || account === undefined || account === null) return;
        const data = new Uint8Array(Math.max(account.data.length + grow, 0));
        data.set(account.data.subarray(0, data.length));
        for (const [offset, value] of flips) data[offset % (data.length || 1)] = value;
        assert.match(askEverything(accounts.set(at, { ...account, data })), /^[a-z-]+$/);
      },
    ),
    { numRuns: 400 },
  );
});

function askEverything(accounts: AccountSet): string {
  meteoraDbc.accountsNeeded(POOL, accounts);
  meteoraDbc.outline(POOL, accounts);
  const found = meteoraDbc.decode(POOL, accounts);
  if (found.kind === "unusable") return found.reason;
  for (const inputMint of [found.state.baseMint, found.state.config.quoteMint]) {
    meteoraDbc.status(found.state, CLOCK);
    meteoraDbc.cautions(found.state);
    meteoraDbc.spotPrice(found.state, inputMint);
    meteoraDbc.reachable(found.state, inputMint, 1_000);
    meteoraDbc.feePpm(found.state, inputMint, CLOCK);
    for (const amountIn of [1n, 10n ** 9n, (1n << 64n) - 1n]) {
      meteoraDbc.quoteExactIn(found.state, { inputMint, amountIn, clock: CLOCK });
    }
  }
  return "pool";
}
