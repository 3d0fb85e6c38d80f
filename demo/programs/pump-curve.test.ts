import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { SYSTEM_PROGRAM, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { pumpSwap } from "#src/venues/pumpswap/adapter.ts";
import { associatedTokenAddress } from "#src/venues/shared/token/associated-token.ts";
import { tokenBalance } from "#src/venues/shared/token/token-account.ts";
import {
  assertOperatorControls,
  loggedEvents,
  MARKET_CLOCK,
  playProgram,
  playTrade,
} from "#test/support/markets/played-market.ts";
import { graduate, pumpCurveProgram } from "./pump-curve.ts";
import { pumpSwapProgram } from "./pumpswap.ts";

/** What trades have left in a curve, for its creator and for the protocol. */
function unsweptIn(account: Account | null | undefined): bigint {
  assert.ok(account);
  const reader = new ByteReader(account.data);
  return reader.u64(125) + reader.u64(133);
}

/** Which fees stay in the quote vault depends on the instruction, so the balance after a trade is not compared. */
const VENUE: typeof pumpCurve = {
  ...pumpCurve,
  decode: (pool, known, coin) => {
    const decoded = pumpCurve.decode(pool, known, coin);
    if (decoded.kind !== "pool") return decoded;
    return { ...decoded, state: { ...decoded.state, quoteVaultBalance: null } };
  },
};
const PARTS = { venue: VENUE, program: pumpCurveProgram };

test("curves move by the venue's own quotes, trade after trade, in SOL and in USDC", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const market = playProgram(PARTS, 11);
    const { coin, below, accounts } = market;
    const pool = market.open({ quoteMint });
    const amountIn = (isBuy: boolean) =>
      BigInt(isBuy ? 1 + below(900_000_000) : 1 + below(2 ** 44));
    const trades = { count: 60, buysOfTen: 6, amountIn };
    assert.ok(market.tradeOften([{ pool, coin, quoteMint }], trades) > 40);
    const { realToken, realQuote } = market.stateOf(pool, coin);
    const held = (mint: Address) => tokenBalance(accounts.get(associatedTokenAddress(pool, mint)));
    assert.equal(held(coin), realToken + 206_900_000_000_000n);
    if (quoteMint === USDC) assert.equal(held(USDC), realQuote + unsweptIn(accounts.get(pool)));
  }
});

test("a sale's TradeEvent is in the logs and in a self-call, in the layout of October 2026", () => {
  const market = playProgram(PARTS, 5);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 3_000_000_000n };
  const bought = market.trade(order, coin);
  assert.ok(bought);
  // A multiple of three is sold by the first of the three versions.
  const amountIn = bought.amountOut - (bought.amountOut % 3n);
  const sold = market.trade({ pool, inputMint: coin, outputMint: WSOL, amountIn }, coin);
  assert.ok(sold);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  assert.deepEqual(
    sold.innerInstructionData,
    [event].map((bytes) => Uint8Array.of(...discriminator("e445a52e51cb9a1d"), ...bytes)),
  );
  const at = new ByteReader(event);
  assert.equal(at.length, 391);
  assert.ok(at.has(0, discriminator("bddb7fd34ee661ee")));
  assert.equal(at.address(8), coin);
  assert.equal(at.u64(48), amountIn);
  assert.equal(at.bool(56), false);
  const net = at.u64(40) - at.u64(169) - at.u64(217);
  assert.equal(net, sold.amountOut);
  const state = market.stateOf(pool, coin);
  assert.deepEqual(
    [at.u64(97), at.u64(105), at.u64(113), at.u64(121)],
    [state.virtualQuote, state.virtualToken, state.realQuote, state.realToken],
  );
  // ix_name "sell" ends at 266: mayhem, cashback, buyback, no shareholders, then the quote.
  assert.equal(at.u32(258), 4);
  assert.equal(at.u32(299), 0);
  assert.equal(at.address(303), SYSTEM_PROGRAM);
  assert.equal(at.u64(335), at.u64(40));
});

test("trades by v3 leave their fees in the curve, as pump's own program does, until they are swept", () => {
  const market = playProgram(PARTS, 5);
  const { coin, accounts } = market;
  const pool = market.open();
  const lamports = () => accounts.get(pool)?.lamports ?? 0n;
  const before = lamports();
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 1_000_000_001n };
  const bought = market.trade(order, coin);
  assert.ok(bought);
  assert.match(bought.logs.join(), /BuyExactQuoteInV3/);
  assert.equal(unsweptIn(accounts.get(pool)), 2_962_963n + 4_691_359n);
  assert.equal(lamports() - before, 995_308_643n);
  const { realQuote } = market.stateOf(pool, coin);
  const sweep = (bucket: "creator" | "protocol") =>
    pumpCurveProgram.sweepFees?.(accounts, pool, { baseMint: coin, clock: MARKET_CLOCK, bucket }) ??
    null;
  for (const bucket of ["creator", "protocol"] as const) {
    market.apply(sweep(bucket)?.changes ?? null);
    assert.equal(sweep(bucket), null);
  }
  assert.equal(unsweptIn(accounts.get(pool)), 0n);
  assert.equal(lamports() - before, realQuote);
});

test("a curve fills, waits, and graduates into its canonical pool, which sells the coin", () => {
  const market = playProgram(PARTS, 3, [pumpSwapProgram]);
  const { coin } = market;
  const pool = market.open();
  assert.equal(graduate(market.accounts, { mint: coin, clock: MARKET_CLOCK }), null);
  const order = { pool, inputMint: WSOL, outputMint: coin, amountIn: 200_000_000_000n };
  const last = market.trade(order, coin);
  assert.ok(last);
  assert.equal(loggedEvents(last.logs).length, 2);
  assert.equal(pumpCurve.status(market.stateOf(pool, coin), MARKET_CLOCK), "complete");

  const graduated = graduate(market.accounts, { mint: coin, clock: MARKET_CLOCK });
  assert.ok(graduated);
  market.apply(graduated.changes);
  assert.equal(pumpCurve.status(market.stateOf(pool, coin), MARKET_CLOCK), "migrated");
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
  const market = playProgram(PARTS, 1);
  const order = { inputMint: WSOL, outputMint: USDC, amountIn: 1n };
  const trade = { ...order, pool: WSOL, user: WSOL, clock: MARKET_CLOCK };
  assert.equal(pumpCurveProgram.swap(market.accounts, trade).kind, "refused");
});

test("quotes use a fee that the operator set", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 50_000);
});
