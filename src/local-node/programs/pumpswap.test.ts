import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import {
  loggedEvents,
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import { newGraduatedPool, pumpSwapProgram } from "./pumpswap.ts";

const PARTS = { venue: pumpSwap, program: pumpSwapProgram };

function open(market: PlayedMarket, baseMint: Address, quoteMint: Address): Address {
  const { freshAddress } = market;
  const opened = pumpSwapProgram.createPool(market.accounts, {
    baseMint,
    quoteMint,
    baseAmount: 500_000_000_000n,
    quoteAmount: 80_000_000_000n,
    creator: freshAddress(),
    clock: MARKET_CLOCK,
    freshAddress,
  });
  store(market.accounts, opened.changes);
  return opened.pool;
}

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playedMarket([pumpSwapProgram], 17);
  const coin = market.freshAddress();
  const pools = [
    [open(market, coin, WSOL), coin, WSOL],
    [open(market, WSOL, coin), WSOL, coin],
  ] as const;
  let trades = 0;
  for (let index = 0; index < 120; index++) {
    const [pool, base, quote] = pools[index % 2 === 0 ? 0 : 1];
    const isBuy = market.below(2) === 0;
    const [inputMint, outputMint] = isBuy ? [quote, base] : [base, quote];
    const amountIn = BigInt(1 + market.below(4_000_000_000));
    if (playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn })) trades++;
  }
  assert.ok(trades > 100);
});

test("a SellEvent carries the reserves before the trade, and pays what was paid", () => {
  const market = playedMarket([pumpSwapProgram], 23);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = playTrade(market, PARTS, order);
  assert.ok(sold);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  const at = new ByteReader(event);
  assert.equal(at.length, 441);
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
  const market = playedMarket([pumpSwapProgram], 29);
  const coin = market.freshAddress();
  const creator = market.freshAddress();
  open(market, coin, WSOL);
  const opened = newGraduatedPool({
    coin,
    quoteMint: WSOL,
    coinCreator: creator,
    coins: 206_900_000_000_000n,
    raised: 84_990_359_084n,
    slot: 7n,
  });
  store(market.accounts, opened.changes);
  const { pool } = opened;
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 999_000_000n };
  const bought = playTrade(market, PARTS, order);
  assert.ok(bought);
  // The first trade after a migration recorded on 2026-07-25.
  assert.equal(bought.amountOut, 2_374_370_725_319n);
  const [event] = loggedEvents(bought.logs);
  assert.ok(event);
  const at = new ByteReader(event);
  assert.equal(at.length, 504);
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

test("liquidity leaves and returns in proportion; pools with a virtual reserve keep theirs", () => {
  const market = playedMarket([pumpSwapProgram], 31);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const reserves = () => {
    const decoded = pumpSwap.decode(pool, market.accounts);
    assert.ok(decoded.kind === "pool");
    return [decoded.state.baseReserve, decoded.state.quoteReserve];
  };
  const change = (shareBps: number) => {
    const changes = pumpSwapProgram.changeLiquidity(market.accounts, pool, shareBps, MARKET_CLOCK);
    assert.ok(changes);
    store(market.accounts, changes);
  };
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
  store(market.accounts, boosted.changes);
  const { accounts } = market;
  assert.equal(pumpSwapProgram.changeLiquidity(accounts, boosted.pool, 100, MARKET_CLOCK), null);
});

test("a fee set by the operator is what pools quote from then on", () => {
  const market = playedMarket([pumpSwapProgram], 53);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const changes = pumpSwapProgram.setFee?.(market.accounts, pool, 50_000, MARKET_CLOCK);
  assert.ok(changes);
  store(market.accounts, changes);
  const decoded = pumpSwap.decode(pool, market.accounts);
  assert.ok(decoded.kind === "pool");
  assert.equal(pumpSwap.feePpm(decoded.state, coin, MARKET_CLOCK), 50_000);
});
