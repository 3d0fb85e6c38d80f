import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { tokenBalance } from "#src/venues/token/token-account.ts";
import {
  loggedEvents,
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import { associatedTokenAddress } from "../associated-token.ts";
import { graduate, pumpCurveProgram } from "./pump-curve.ts";
import { pumpSwapProgram } from "./pumpswap.ts";

const PARTS = { venue: pumpCurve, program: pumpCurveProgram };

function launch(market: PlayedMarket, quoteMint: Address): { coin: Address; pool: Address } {
  const coin = market.freshAddress();
  const creator = market.freshAddress();
  const { freshAddress } = market;
  const opened = pumpCurveProgram.createPool(market.accounts, {
    baseMint: coin,
    quoteMint,
    baseAmount: 0n,
    quoteAmount: 0n,
    creator,
    clock: MARKET_CLOCK,
    freshAddress,
  });
  store(market.accounts, opened.changes);
  return { coin, pool: opened.pool };
}

test("curves move by the venue's own quotes, trade after trade, in SOL and in USDC", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const market = playedMarket([pumpCurveProgram], 11);
    const { coin, pool } = launch(market, quoteMint);
    let trades = 0;
    for (let index = 0; index < 60; index++) {
      const isBuy = market.below(10) < 6;
      const amountIn = BigInt(isBuy ? 1 + market.below(900_000_000) : 1 + market.below(2 ** 44));
      const [inputMint, outputMint] = isBuy ? [quoteMint, coin] : [coin, quoteMint];
      const done = playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn }, coin);
      if (done !== null) trades++;
    }
    assert.ok(trades > 40);
    const decoded = pumpCurve.decode(pool, market.accounts, coin);
    assert.ok(decoded.kind === "pool");
    const left = tokenBalance(market.accounts.get(associatedTokenAddress(pool, coin)));
    assert.equal(left, decoded.state.realToken + 206_900_000_000_000n);
    if (quoteMint === USDC) {
      const raised = tokenBalance(market.accounts.get(associatedTokenAddress(pool, USDC)));
      assert.equal(raised, decoded.state.realQuote);
    }
  }
});

test("a sale's TradeEvent stands in the logs and in a self-call, in the layout of October 2026", () => {
  const market = playedMarket([pumpCurveProgram], 5);
  const { coin, pool } = launch(market, WSOL);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 3_000_000_000n };
  const bought = playTrade(market, PARTS, order, coin);
  assert.ok(bought);
  const sold = playTrade(
    market,
    PARTS,
    { pool, inputMint: coin, outputMint: WSOL, amountIn: bought.amountOut },
    coin,
  );
  assert.ok(sold);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  assert.deepEqual(
    sold.innerInstructionData,
    [event].map((bytes) => Uint8Array.of(...discriminator("e445a52e51cb9a1d"), ...bytes)),
  );
  const at = new ByteReader(event);
  assert.equal(at.length, 383);
  assert.ok(at.has(0, discriminator("bddb7fd34ee661ee")));
  assert.equal(at.address(8), coin);
  assert.equal(at.u64(48), bought.amountOut);
  assert.equal(at.bool(56), false);
  const net = at.u64(40) - at.u64(169) - at.u64(217);
  assert.equal(net, sold.amountOut);
  const decoded = pumpCurve.decode(pool, market.accounts, coin);
  assert.ok(decoded.kind === "pool");
  assert.deepEqual(
    [at.u64(97), at.u64(105), at.u64(113), at.u64(121)],
    [
      decoded.state.virtualQuote,
      decoded.state.virtualToken,
      decoded.state.realQuote,
      decoded.state.realToken,
    ],
  );
  // ix_name "sell" ends at 266: mayhem, cashback, buyback, no shareholders, then the quote.
  assert.equal(at.u32(258), 4);
  assert.equal(at.u32(299), 0);
  assert.equal(at.address(303), SYSTEM_PROGRAM);
  assert.equal(at.u64(335), at.u64(40));
});

test("a curve fills, waits, and graduates into its canonical pool, which sells the coin", () => {
  const market = playedMarket([pumpCurveProgram, pumpSwapProgram], 3);
  const { coin, pool } = launch(market, WSOL);
  assert.equal(graduate(market.accounts, { mint: coin, clock: MARKET_CLOCK }), null);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 200_000_000_000n };
  const last = playTrade(market, PARTS, order, coin);
  assert.ok(last);
  assert.equal(loggedEvents(last.logs).length, 2);
  const waiting = pumpCurve.decode(pool, market.accounts, coin);
  assert.ok(waiting.kind === "pool");
  assert.equal(pumpCurve.status(waiting.state, MARKET_CLOCK), "complete");

  const graduated = graduate(market.accounts, { mint: coin, clock: MARKET_CLOCK });
  assert.ok(graduated);
  store(market.accounts, graduated.changes);
  const emptied = pumpCurve.decode(pool, market.accounts, coin);
  assert.ok(emptied.kind === "pool");
  assert.equal(pumpCurve.status(emptied.state, MARKET_CLOCK), "migrated");
  assert.deepEqual(pumpSwap.search(coin, WSOL).derived, [graduated.pool]);
  const opened = pumpSwap.decode(graduated.pool, market.accounts);
  assert.ok(opened.kind === "pool");
  assert.equal(opened.state.baseReserve, 206_900_000_000_000n);
  assert.equal(opened.state.virtualQuote, 17_584_505_288n);
  assert.equal(pumpSwap.feePpm(opened.state, coin, MARKET_CLOCK), 12_500);
  const parts = { venue: pumpSwap, program: pumpSwapProgram };
  const sale = { pool: graduated.pool, inputMint: coin, outputMint: WSOL, amountIn: 10n ** 12n };
  assert.ok(playTrade(market, parts, sale));
  assert.equal(graduate(market.accounts, { mint: coin, clock: MARKET_CLOCK }), null);
});

test("a trade on nothing is refused", () => {
  const market = playedMarket([pumpCurveProgram], 1);
  const order = { inputMint: WSOL, outputMint: USDC, amountIn: 1n };
  const trade = { ...order, pool: WSOL, user: WSOL, clock: MARKET_CLOCK };
  assert.equal(pumpCurveProgram.swap(market.accounts, trade).kind, "refused");
});

test("a fee set by the operator is what curves quote from then on", () => {
  const market = playedMarket([pumpCurveProgram], 53);
  const { coin, pool } = launch(market, WSOL);
  const changes = pumpCurveProgram.setFee?.(market.accounts, pool, 50_000, MARKET_CLOCK);
  assert.ok(changes);
  store(market.accounts, changes);
  const decoded = pumpCurve.decode(pool, market.accounts, coin);
  assert.ok(decoded.kind === "pool");
  assert.equal(pumpCurve.feePpm(decoded.state, coin, MARKET_CLOCK), 50_000);
});
