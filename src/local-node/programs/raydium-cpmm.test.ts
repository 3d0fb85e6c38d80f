import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { raydiumCpmm, standardPool } from "#src/venues/raydium-cpmm/adapter.ts";
import { KNOWN_CONFIGS } from "#src/venues/raydium-cpmm/layout.ts";
import { reserveOf } from "#src/venues/raydium-cpmm/quote.ts";
import {
  loggedEvents,
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import { raydiumCpmmProgram } from "./raydium-cpmm.ts";

const PARTS = { venue: raydiumCpmm, program: raydiumCpmmProgram };

function open(market: PlayedMarket, baseMint: Address, quoteMint: Address): Address {
  const { freshAddress } = market;
  const opened = raydiumCpmmProgram.createPool(market.accounts, {
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

function stateOf(market: PlayedMarket, pool: Address) {
  const decoded = raydiumCpmm.decode(pool, market.accounts);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playedMarket([raydiumCpmmProgram], 41);
  const coin = market.freshAddress();
  const pools = [open(market, coin, WSOL), open(market, WSOL, coin)] as const;
  assert.equal(pools[0], standardPool(KNOWN_CONFIGS[0], coin, WSOL));
  assert.notEqual(pools[1], pools[0]);
  let trades = 0;
  for (let index = 0; index < 120; index++) {
    const pool = pools[index % 2 === 0 ? 0 : 1];
    const [inputMint, outputMint] = market.below(2) === 0 ? [WSOL, coin] : [coin, WSOL];
    const amountIn = BigInt(1 + market.below(4_000_000_000));
    if (playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn })) trades++;
  }
  assert.ok(trades > 100);
  const { token0 } = stateOf(market, pools[0]);
  assert.ok(token0.protocolFees > 0n && token0.fundFees > 0n);
});

test("a SwapEvent carries reserves, amounts and fees of the trade", () => {
  const market = playedMarket([raydiumCpmmProgram], 43);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = playTrade(market, PARTS, order);
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
  const market = playedMarket([raydiumCpmmProgram], 47);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  assert.ok(playTrade(market, PARTS, order));
  const before = stateOf(market, pool);
  const change = (shareBps: number) => {
    const changes = raydiumCpmmProgram.changeLiquidity(
      market.accounts,
      pool,
      shareBps,
      MARKET_CLOCK,
    );
    assert.ok(changes);
    store(market.accounts, changes);
  };
  change(5_000);
  const halved = stateOf(market, pool);
  assert.equal(reserveOf(halved.token0), reserveOf(before.token0) - reserveOf(before.token0) / 2n);
  assert.equal(halved.token1.protocolFees, before.token1.protocolFees);
  change(-10_000);
  assert.equal(reserveOf(stateOf(market, pool).token1), reserveOf(halved.token1) * 2n);
});

test("the operator pauses a pool and changes its configuration's fee", () => {
  const market = playedMarket([raydiumCpmmProgram], 53);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const apply = (changes: ReturnType<typeof raydiumCpmmProgram.changeLiquidity> | undefined) => {
    assert.ok(changes);
    store(market.accounts, changes);
  };
  apply(raydiumCpmmProgram.setPaused?.(market.accounts, pool, true, MARKET_CLOCK));
  assert.equal(raydiumCpmm.status(stateOf(market, pool), MARKET_CLOCK), "paused");
  apply(raydiumCpmmProgram.setPaused?.(market.accounts, pool, false, MARKET_CLOCK));
  assert.equal(raydiumCpmm.status(stateOf(market, pool), MARKET_CLOCK), "open");
  apply(raydiumCpmmProgram.setFee?.(market.accounts, pool, 30_000, MARKET_CLOCK));
  assert.equal(raydiumCpmm.feePpm(stateOf(market, pool), coin, MARKET_CLOCK), 30_000);
});
