import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { USD1, WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { raydiumLaunchLab } from "#src/venues/raydium-launchlab/adapter.ts";
import { launchVaultAddress } from "#src/venues/raydium-launchlab/addresses.ts";
import { POOL } from "#src/venues/raydium-launchlab/layout.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import {
  assertOperatorControls,
  loggedEvents,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { pumpSwapProgram } from "./pumpswap.ts";
import { graduateLaunch, raydiumLaunchLabProgram } from "./raydium-launchlab.ts";

const PARTS = { venue: raydiumLaunchLab, program: raydiumLaunchLabProgram };

test("launches move by the venue's own quotes, and their vaults hold the booked amounts", () => {
  for (const quoteMint of [WSOL, USD1]) {
    const market = playProgram(PARTS, 41);
    const { coin, below, accounts } = market;
    const pool = market.open({ quoteMint });
    const amountIn = (isBuy: boolean) =>
      BigInt(isBuy ? 2 + below(900_000_000) : 1 + below(2 ** 44));
    const trades = { count: 60, buysOfTen: 6, amountIn };
    assert.ok(market.tradeOften([{ pool, coin, quoteMint }], trades) > 40);
    const { realBase, realQuote } = market.stateOf(pool);
    const books = new ByteReader(accounts.get(pool)?.data ?? new Uint8Array());
    const owed = books.u64(POOL.quote_protocol_fee) + books.u64(POOL.platform_fee);
    const held = (mint: Address) => tokenBalance(accounts.get(launchVaultAddress(pool, mint)));
    assert.equal(held(quoteMint), realQuote + owed);
    assert.equal(held(coin), 1_000_000_000_000_000n - realBase);
  }
});

test("a sale's TradeEvent carries reserves before and after, fees split, and what was paid", () => {
  const market = playProgram(PARTS, 43);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 5_000_000_000n };
  const bought = market.trade(order);
  assert.ok(bought);
  const sold = market.trade({
    pool,
    inputMint: coin,
    outputMint: WSOL,
    amountIn: bought.amountOut,
  });
  assert.ok(sold);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  assert.ok(new ByteReader(event).has(0, discriminator("bddb7fd34ee661ee")));
  const at = new ByteReader(event.slice(8));
  assert.equal(at.length, 139);
  assert.equal(at.address(0), pool);
  assert.deepEqual([at.u64(56), at.u64(72)], [bought.amountOut, 0n]);
  assert.deepEqual([at.u64(88), at.u64(96)], [bought.amountOut, sold.amountOut]);
  const fees = at.u64(104) + at.u64(112) + at.u64(120);
  assert.equal(at.u64(64) - at.u64(80) - fees, sold.amountOut);
  assert.deepEqual([at.u8(136), at.u8(137), at.u8(138)], [1, 0, 1]);
});

test("a launch fills, waits, and moves into another program's pool", () => {
  const market = playProgram(PARTS, 47, [pumpSwapProgram]);
  const { coin, freshAddress } = market;
  const pool = market.open();
  const move = { pool, clock: MARKET_CLOCK, freshAddress };
  assert.equal(graduateLaunch(market.accounts, move, pumpSwapProgram), null);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 200_000_000_000n };
  assert.ok(market.trade(order));
  const waiting = market.stateOf(pool);
  assert.equal(raydiumLaunchLab.status(waiting, MARKET_CLOCK), "complete");

  const graduated = graduateLaunch(market.accounts, move, pumpSwapProgram);
  assert.ok(graduated);
  market.apply(graduated.changes);
  assert.equal(raydiumLaunchLab.status(market.stateOf(pool), MARKET_CLOCK), "migrated");
  const opened = pumpSwap.decode(graduated.pool, market.accounts);
  assert.ok(opened.kind === "pool");
  assert.equal(opened.state.baseReserve, 206_900_000_000_000n);
  assert.equal(opened.state.quoteReserve, waiting.realQuote);
  assert.equal(tokenBalance(market.accounts.get(launchVaultAddress(pool, coin))), 0n);
});

test("quotes use a fee that the operator set", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 50_000);
});
