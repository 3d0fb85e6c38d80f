import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { raydiumCpmm, standardPool } from "#src/venues/raydium-cpmm/adapter.ts";
import { KNOWN_CONFIGS } from "#src/venues/raydium-cpmm/layout.ts";
import { reserveOf } from "#src/venues/raydium-cpmm/quote.ts";
import {
  assertOperatorControls,
  loggedEvents,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { raydiumCpmmProgram } from "./raydium-cpmm.ts";

const PARTS = { venue: raydiumCpmm, program: raydiumCpmmProgram };

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playProgram(PARTS, 41);
  const { coin, open, below } = market;
  const first = { pool: open(), coin, quoteMint: WSOL };
  const second = { pool: open({ baseMint: WSOL, quoteMint: coin }), coin, quoteMint: WSOL };
  assert.notEqual(second.pool, first.pool);
  const amountIn = () => BigInt(1 + below(4_000_000_000));
  assert.ok(market.tradeOften([first, second], { count: 120, amountIn }) > 100);
  assert.equal(first.pool, standardPool(KNOWN_CONFIGS[0], coin, WSOL));
  const { token0 } = market.stateOf(first.pool);
  assert.ok(token0.protocolFees > 0n && token0.fundFees > 0n);
});

test("a SwapEvent carries reserves, amounts and fees of the trade", () => {
  const market = playProgram(PARTS, 43);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = market.trade(order);
  assert.ok(sold);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  const at = new ByteReader(event);
  assert.equal(at.length, 170);
  assert.ok(at.has(0, discriminator("40c6cde8260871e2")));
  assert.equal(at.address(8), pool);
  assert.deepEqual([at.u64(40), at.u64(48)], [500_000_000_000n, 80_000_000_000n]);
  assert.deepEqual([at.u64(56), at.u64(64)], [1_000_000_000n, sold.amountOut]);
  assert.deepEqual([at.u64(72), at.u64(80), at.bool(88)], [0n, 0n, true]);
  assert.deepEqual([at.address(89), at.address(121)], [coin, WSOL]);
  assert.deepEqual([at.u64(153), at.u64(161), at.bool(169)], [2_500_000n, 0n, true]);
  assert.ok(sold.instructionAccounts.includes(pool));
});

test("liquidity leaves and returns in proportion, and owed fees stay", () => {
  const market = playProgram(PARTS, 47);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  assert.ok(market.trade(order));
  const before = market.stateOf(pool);
  const { accounts, apply } = market;
  const change = (shareBps: number) =>
    apply(raydiumCpmmProgram.changeLiquidity(accounts, pool, shareBps, MARKET_CLOCK));
  change(5_000);
  const halved = market.stateOf(pool);
  assert.equal(reserveOf(halved.token0), reserveOf(before.token0) - reserveOf(before.token0) / 2n);
  assert.equal(halved.token1.protocolFees, before.token1.protocolFees);
  change(-10_000);
  assert.equal(reserveOf(market.stateOf(pool).token1), reserveOf(halved.token1) * 2n);
});

test("the operator pauses a pool and changes its configuration's fee", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 30_000);
});
