import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import {
  assertOperatorControls,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { raydiumAmmV4Program } from "./raydium-amm-v4.ts";

const PARTS = { venue: raydiumAmmV4, program: raydiumAmmV4Program };

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playProgram(PARTS, 41);
  const { coin, open, below } = market;
  const first = { pool: open(), coin, quoteMint: WSOL };
  const second = { pool: open({ baseMint: WSOL, quoteMint: coin }), coin, quoteMint: WSOL };
  assert.notEqual(second.pool, first.pool);
  const amountIn = () => BigInt(1 + below(4_000_000_000));
  assert.ok(market.tradeOften([first, second], { count: 120, amountIn }) > 100);
});

test("a ray_log carries direction, reserves before the trade and what was paid", () => {
  const market = playProgram(PARTS, 43);
  const { coin } = market;
  const pool = market.open();
  const logOf = (inputMint: Address, outputMint: Address) => {
    const order = { pool, inputMint, outputMint, amountIn: 1_000_000_000n };
    const done = market.trade(order);
    assert.ok(done);
    assert.equal(done.instructionAccounts[1], pool);
    assert.equal(done.instructionData.length, 17);
    const line = done.logs.find((text) => text.startsWith("Program log: ray_log: ")) ?? "";
    const bytes = Buffer.from(line.slice("Program log: ray_log: ".length), "base64");
    return { at: new ByteReader(new Uint8Array(bytes)), amountOut: done.amountOut };
  };
  const sold = logOf(coin, WSOL);
  assert.equal(sold.at.length, 57);
  assert.equal(sold.at.u8(0), 3);
  assert.deepEqual([sold.at.u64(1), sold.at.u64(17)], [1_000_000_000n, 2n]);
  assert.deepEqual([sold.at.u64(33), sold.at.u64(41)], [500_000_000_000n, 80_000_000_000n]);
  assert.equal(sold.at.u64(49), sold.amountOut);
  const bought = logOf(WSOL, coin);
  assert.equal(bought.at.u64(17), 1n);
  assert.deepEqual(
    [bought.at.u64(33), bought.at.u64(41)],
    [501_000_000_000n, 80_000_000_000n - sold.amountOut],
  );
  assert.equal(bought.at.u64(49), bought.amountOut);
});

test("liquidity leaves and returns in proportion", () => {
  const market = playProgram(PARTS, 47);
  const { accounts, apply } = market;
  const pool = market.open();
  apply(raydiumAmmV4Program.changeLiquidity(accounts, pool, 2_500, MARKET_CLOCK));
  assert.equal(market.stateOf(pool).coin.vaultAmount, 375_000_000_000n);
  apply(raydiumAmmV4Program.changeLiquidity(accounts, pool, -10_000, MARKET_CLOCK));
  assert.equal(market.stateOf(pool).pc.vaultAmount, 120_000_000_000n);
});

test("the operator pauses a pool and changes its fee", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 30_000);
});
