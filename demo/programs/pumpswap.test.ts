import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import {
  assertOperatorControls,
  loggedEvents,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { newGraduatedPool, pumpSwapProgram } from "./pumpswap.ts";

const PARTS = { venue: pumpSwap, program: pumpSwapProgram };

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playProgram(PARTS, 17);
  const { coin, open, below } = market;
  const first = { pool: open(), coin, quoteMint: WSOL };
  const second = { pool: open({ baseMint: WSOL, quoteMint: coin }), coin, quoteMint: WSOL };
  assert.notEqual(second.pool, first.pool);
  const amountIn = () => BigInt(1 + below(4_000_000_000));
  assert.ok(market.tradeOften([first, second], { count: 120, amountIn }) > 100);
});

test("a SellEvent carries the reserves before the trade, and pays what was paid", () => {
  const market = playProgram(PARTS, 23);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = market.trade(order);
  assert.ok(sold);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  const at = new ByteReader(event);
  assert.equal(at.length, 449);
  assert.ok(at.has(0, discriminator("3e2f370aa503dc2a")));
  assert.equal(at.u64(16), 1_000_000_000n);
  assert.deepEqual([at.u64(48), at.u64(56)], [500_000_000_000n, 80_000_000_000n]);
  assert.equal(at.u64(112), sold.amountOut);
  assert.equal(at.u64(64) - at.u64(80) - at.u64(96) - at.u64(352), sold.amountOut);
  assert.deepEqual([at.u64(72), at.u64(88), at.u64(344)], [25n, 5n, 0n]);
  assert.equal(at.address(120), pool);
  assert.equal(at.u64(409), 0n);
});

test("a BuyEvent of a canonical pool carries its virtual reserve and its coin's supply", () => {
  const market = playProgram(PARTS, 29);
  const { coin } = market;
  const creator = market.freshAddress();
  market.open();
  const opened = newGraduatedPool({
    coin,
    quoteMint: WSOL,
    coinCreator: creator,
    coins: 206_900_000_000_000n,
    raised: 84_990_359_084n,
    slot: 7n,
  });
  market.apply(opened.changes);
  const { pool } = opened;
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 999_000_000n };
  const bought = market.trade(order);
  assert.ok(bought);
  // The first trade after a migration recorded on 2026-07-25.
  assert.equal(bought.amountOut, 2_374_370_725_319n);
  const [event] = loggedEvents(bought.logs);
  assert.ok(event);
  const at = new ByteReader(event);
  assert.equal(at.length, 512);
  assert.ok(at.has(0, discriminator("67f4521f2cf57777")));
  assert.equal(at.u64(16), bought.amountOut);
  assert.deepEqual([at.u64(48), at.u64(56)], [206_900_000_000_000n, 67_405_853_790n]);
  assert.deepEqual(
    [at.u64(64), at.u64(80), at.u64(96), at.u64(104), at.u64(112)],
    [999_000_000n, 197_334n, 9_176_000n, 986_864_000n, 986_666_666n],
  );
  assert.deepEqual([at.address(312), at.u64(352)], [creator, 2_960_000n]);
  assert.equal(at.u32(401), "buy_exact_quote_in".length);
  assert.equal(at.i128(455), 17_584_505_294n);
  assert.equal(at.bool(471), true);
  assert.equal(at.u64(472), 1_000_000_000_000_000n);
});

test("trades by v2 leave their fees in a launched coin's pool, beside the price, until they are swept", () => {
  const market = playProgram(PARTS, 29);
  const { coin, accounts } = market;
  market.open();
  const opened = newGraduatedPool({
    coin,
    quoteMint: WSOL,
    coinCreator: market.freshAddress(),
    coins: 206_900_000_000_000n,
    raised: 84_990_359_084n,
    slot: 7n,
  });
  market.apply(opened.changes);
  const { pool } = opened;
  const effective = () => {
    const { quoteReserve, virtualQuote } = market.stateOf(pool);
    return quoteReserve + virtualQuote;
  };
  const start = market.stateOf(pool);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 999_000_001n };
  const trade = { ...order, user: market.freshAddress(), clock: MARKET_CLOCK };
  const bought = pumpSwapProgram.swap(accounts, trade);
  assert.ok(bought.kind === "done");
  assert.match(bought.logs.join(), /BuyExactQuoteInV2/);
  market.apply(bought.changes);
  const { unsweptFees, quoteReserve } = market.stateOf(pool);
  // The creator's fee, and the protocol's without its half for buybacks.
  assert.equal(unsweptFees, 2_960_001n + 4_588_001n);
  assert.equal(quoteReserve - start.quoteReserve, 999_000_001n - 4_588_000n);
  assert.equal(effective() - start.quoteReserve - start.virtualQuote, 986_863_999n);
  const price = effective();
  const sweep = (bucket: "creator" | "protocol") =>
    pumpSwapProgram.sweepFees?.(accounts, pool, { baseMint: coin, clock: MARKET_CLOCK, bucket }) ??
    null;
  for (const bucket of ["creator", "protocol"] as const) {
    market.apply(sweep(bucket)?.changes ?? null);
    assert.equal(sweep(bucket), null);
  }
  assert.equal(market.stateOf(pool).unsweptFees, 0n);
  assert.equal(effective(), price);
});

test("liquidity leaves and returns in proportion; pools with a virtual reserve keep theirs", () => {
  const market = playProgram(PARTS, 31);
  const { coin } = market;
  const pool = market.open();
  const reserves = () => {
    const { baseReserve, quoteReserve } = market.stateOf(pool);
    return [baseReserve, quoteReserve];
  };
  const { accounts, apply } = market;
  const change = (shareBps: number) =>
    apply(pumpSwapProgram.changeLiquidity(accounts, pool, shareBps, MARKET_CLOCK));
  change(2_500);
  assert.deepEqual(reserves(), [375_000_000_000n, 60_000_000_000n]);
  change(-10_000);
  assert.deepEqual(reserves(), [750_000_000_000n, 120_000_000_000n]);
  const boosted = newGraduatedPool({
    coin,
    quoteMint: WSOL,
    coinCreator: null,
    coins: 1_000_000n,
    raised: 1_000_000n,
    slot: 7n,
  });
  apply(boosted.changes);
  assert.equal(pumpSwapProgram.changeLiquidity(accounts, boosted.pool, 100, MARKET_CLOCK), null);
});

test("quotes use a fee that the operator set", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 50_000);
});
