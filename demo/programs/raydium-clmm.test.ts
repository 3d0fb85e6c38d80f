import assert from "node:assert/strict";
import { test } from "node:test";
import { discriminator } from "#src/venues/byte-reader.ts";
import { raydiumClmm } from "#src/venues/raydium-clmm/adapter.ts";
import { quoteExactIn } from "#src/venues/raydium-clmm/quote.ts";
import { assertOperatorControls, MARKET_CLOCK } from "#test/support/markets/played-market.ts";
import {
  assertLiquidityMovesDepth,
  assertMovesAsQuoted,
  assertOpensAtPrice,
  HIGH_MINT,
  LOW_MINT,
  openTickPool,
  sellTaxed,
} from "#test/support/markets/played-tick-pool.ts";
import { raydiumClmmProgram } from "./raydium-clmm.ts";

const PARTS = { venue: raydiumClmm, program: raydiumClmmProgram };

test("the pool opens at the price of its deposits, with all accounts that quotes need", () => {
  assertOpensAtPrice(PARTS);
  const { market, pool } = openTickPool(PARTS, LOW_MINT);
  for (const needed of raydiumClmm.accountsNeeded(pool, market.accounts)) {
    assert.ok(market.accounts.get(needed), needed);
  }
});

test("the bytes after each swap decode to the state that was quoted", () => {
  assertMovesAsQuoted(PARTS);
});

test("the event carries the amounts as the program logs them, in 221 bytes", () => {
  const { market, pool } = openTickPool(PARTS, HIGH_MINT, 100);
  const state = market.stateOf(pool);
  const { order, result, event } = sellTaxed(PARTS, market, pool);
  const quote = quoteExactIn(state, { ...order, clock: MARKET_CLOCK });
  assert.ok(quote.kind === "filled");
  assert.equal(event.length, 221);
  assert.ok(event.has(0, discriminator("40c6cde8260871e2")));
  assert.equal(event.address(8), pool);
  const isSold0 = state.token0.mint === HIGH_MINT;
  const [sold, bought] = isSold0 ? [136, 152] : [152, 136];
  assert.equal(event.u64(sold), 4_950_000_000_000n);
  assert.equal(event.u64(sold + 8), 50_000_000_000n);
  assert.equal(event.u64(bought), result.amountOut);
  assert.equal(event.bool(168), isSold0);
  assert.equal(event.u128(169), quote.after.sqrtPriceX64);
  assert.equal(event.u128(185), quote.after.liquidity);
  assert.equal(event.i32(201), quote.after.tickCurrent);
  assert.deepEqual(result.innerInstructionData, []);
  assert.equal(result.instructionAccounts[2], pool);
});

test("removed liquidity takes depth with it, and added liquidity brings it back", () => {
  assertLiquidityMovesDepth(PARTS);
});

test("a raised fee and a pause reach the quote", () => {
  const { market, pool } = openTickPool(PARTS, LOW_MINT);
  assertOperatorControls(PARTS, market, pool, 90_000);
});
