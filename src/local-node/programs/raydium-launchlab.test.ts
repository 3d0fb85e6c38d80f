import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { USD1, WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { raydiumLaunchLab } from "#src/venues/raydium-launchlab/adapter.ts";
import { launchVaultAddress } from "#src/venues/raydium-launchlab/addresses.ts";
import { POOL } from "#src/venues/raydium-launchlab/layout.ts";
import { tokenBalance } from "#src/venues/token/token-account.ts";
import {
  loggedEvents,
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import { pumpSwapProgram } from "./pumpswap.ts";
import { graduateLaunch, raydiumLaunchLabProgram } from "./raydium-launchlab.ts";

const PARTS = { venue: raydiumLaunchLab, program: raydiumLaunchLabProgram };

function launch(market: PlayedMarket, quoteMint: Address): { coin: Address; pool: Address } {
  const coin = market.freshAddress();
  const { freshAddress } = market;
  const opened = raydiumLaunchLabProgram.createPool(market.accounts, {
    baseMint: coin,
    quoteMint,
    baseAmount: 0n,
    quoteAmount: 0n,
    creator: freshAddress(),
    clock: MARKET_CLOCK,
    freshAddress,
  });
  store(market.accounts, opened.changes);
  return { coin, pool: opened.pool };
}

test("launches move by the venue's own quotes, and their vaults hold what the books say", () => {
  for (const quoteMint of [WSOL, USD1]) {
    const market = playedMarket([raydiumLaunchLabProgram], 41);
    const { coin, pool } = launch(market, quoteMint);
    let trades = 0;
    for (let index = 0; index < 60; index++) {
      const isBuy = market.below(10) < 6;
      const amountIn = BigInt(isBuy ? 2 + market.below(900_000_000) : 1 + market.below(2 ** 44));
      const [inputMint, outputMint] = isBuy ? [quoteMint, coin] : [coin, quoteMint];
      if (playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn })) trades++;
    }
    assert.ok(trades > 40);
    const decoded = raydiumLaunchLab.decode(pool, market.accounts);
    assert.ok(decoded.kind === "pool");
    const books = new ByteReader(market.accounts.get(pool)?.data ?? new Uint8Array());
    const owed = books.u64(POOL.quote_protocol_fee) + books.u64(POOL.platform_fee);
    assert.equal(
      tokenBalance(market.accounts.get(launchVaultAddress(pool, quoteMint))),
      decoded.state.realQuote + owed,
    );
    assert.equal(
      tokenBalance(market.accounts.get(launchVaultAddress(pool, coin))),
      1_000_000_000_000_000n - decoded.state.realBase,
    );
  }
});

test("a sale's TradeEvent carries reserves before and after, fees split, and what was paid", () => {
  const market = playedMarket([raydiumLaunchLabProgram], 43);
  const { coin, pool } = launch(market, WSOL);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 5_000_000_000n };
  const bought = playTrade(market, PARTS, order);
  assert.ok(bought);
  const sold = playTrade(market, PARTS, {
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
  const market = playedMarket([raydiumLaunchLabProgram, pumpSwapProgram], 47);
  const { coin, pool } = launch(market, WSOL);
  const { freshAddress } = market;
  const move = { pool, clock: MARKET_CLOCK, freshAddress };
  assert.equal(graduateLaunch(market.accounts, move, pumpSwapProgram), null);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 200_000_000_000n };
  assert.ok(playTrade(market, PARTS, order));
  const waiting = raydiumLaunchLab.decode(pool, market.accounts);
  assert.ok(waiting.kind === "pool");
  assert.equal(raydiumLaunchLab.status(waiting.state, MARKET_CLOCK), "complete");

  const graduated = graduateLaunch(market.accounts, move, pumpSwapProgram);
  assert.ok(graduated);
  store(market.accounts, graduated.changes);
  const moved = raydiumLaunchLab.decode(pool, market.accounts);
  assert.ok(moved.kind === "pool");
  assert.equal(raydiumLaunchLab.status(moved.state, MARKET_CLOCK), "migrated");
  const opened = pumpSwap.decode(graduated.pool, market.accounts);
  assert.ok(opened.kind === "pool");
  assert.equal(opened.state.baseReserve, 206_900_000_000_000n);
  assert.equal(opened.state.quoteReserve, waiting.state.realQuote);
  assert.equal(tokenBalance(market.accounts.get(launchVaultAddress(pool, coin))), 0n);
});

test("a fee set by the operator is what launches quote from then on", () => {
  const market = playedMarket([raydiumLaunchLabProgram], 53);
  const { coin, pool } = launch(market, WSOL);
  const changes = raydiumLaunchLabProgram.setFee?.(market.accounts, pool, 50_000, MARKET_CLOCK);
  assert.ok(changes);
  store(market.accounts, changes);
  const decoded = raydiumLaunchLab.decode(pool, market.accounts);
  assert.ok(decoded.kind === "pool");
  assert.equal(raydiumLaunchLab.feePpm(decoded.state, coin, MARKET_CLOCK), 50_000);
});
