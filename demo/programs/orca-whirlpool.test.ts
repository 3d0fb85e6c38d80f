import assert from "node:assert/strict";
import { test } from "node:test";
import { discriminator } from "#src/venues/byte-reader.ts";
import { orcaWhirlpool, orcaWhirlpoolImmutable } from "#src/venues/orca-whirlpool/adapter.ts";
import { quoteExactIn } from "#src/venues/orca-whirlpool/quote.ts";
import { MARKET_CLOCK } from "#test/support/markets/played-market.ts";
import {
  assertLiquidityMovesDepth,
  assertMovesAsQuoted,
  assertOpensAtPrice,
  HIGH_MINT,
  LOW_MINT,
  openTickPool,
  sellTaxed,
} from "#test/support/markets/played-tick-pool.ts";
import { orcaWhirlpoolImmutableProgram, orcaWhirlpoolProgram } from "./orca-whirlpool.ts";

for (const parts of [
  { venue: orcaWhirlpool, program: orcaWhirlpoolProgram },
  { venue: orcaWhirlpoolImmutable, program: orcaWhirlpoolImmutableProgram },
]) {
  const { venue, program } = parts;

  test(`${venue.id}: the pool opens at the price of its deposits, with all accounts that quotes need`, () => {
    assertOpensAtPrice(parts);
  });

  test(`${venue.id}: the bytes after each swap decode to the state that was quoted`, () => {
    // The tick arrays in reach move with the price; a quoted state keeps the earlier ones.
    assertMovesAsQuoted(parts, (state) => ({ ...state, arrays: null }));
  });

  test(`${venue.id}: the event carries the amounts as the program logs them, in 121 bytes`, () => {
    const { market, pool } = openTickPool(parts, HIGH_MINT, 100);
    const state = market.stateOf(pool);
    const { order, result, event } = sellTaxed(parts, market, pool);
    const quote = quoteExactIn(state, { ...order, clock: MARKET_CLOCK });
    assert.ok(quote.kind === "filled");
    assert.equal(event.length, 121);
    assert.ok(event.has(0, discriminator("e1ca49af932ba096")));
    assert.equal(event.address(8), pool);
    assert.equal(event.bool(40), state.tokenA.mint === HIGH_MINT);
    assert.equal(event.u128(41), state.sqrtPriceX64);
    assert.equal(event.u128(57), quote.after.sqrtPriceX64);
    assert.equal(event.u64(73), order.amountIn);
    assert.equal(event.u64(81), quote.grossOut);
    assert.equal(event.u64(89), 50_000_000_000n);
    assert.equal(event.u64(105) + event.u64(113), quote.tradeFee);
    assert.deepEqual(result.innerInstructionData, []);
    assert.equal(result.instructionAccounts[3], pool);
  });

  test(`${venue.id}: removed liquidity takes depth with it, and added liquidity brings it back`, () => {
    assertLiquidityMovesDepth(parts);
  });

  test(`${venue.id}: a raised fee reaches the quote`, () => {
    const { market, pool } = openTickPool(parts, LOW_MINT);
    market.apply(program.setFee?.(market.accounts, pool, 50_000, MARKET_CLOCK));
    assert.equal(venue.feePpm(market.stateOf(pool), LOW_MINT, MARKET_CLOCK), 50_000);
  });
}
