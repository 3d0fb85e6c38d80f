import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { raydiumAmmV4 } from "#src/venues/raydium-amm-v4/adapter.ts";
import {
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import type { AccountChanges } from "../market-program.ts";
import { raydiumAmmV4Program } from "./raydium-amm-v4.ts";

const PARTS = { venue: raydiumAmmV4, program: raydiumAmmV4Program };

function open(market: PlayedMarket, baseMint: Address, quoteMint: Address): Address {
  const { freshAddress } = market;
  const opened = raydiumAmmV4Program.createPool(market.accounts, {
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
  const decoded = raydiumAmmV4.decode(pool, market.accounts);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playedMarket([raydiumAmmV4Program], 41);
  const coin = market.freshAddress();
  const pools = [open(market, coin, WSOL), open(market, WSOL, coin)] as const;
  assert.notEqual(pools[1], pools[0]);
  let trades = 0;
  for (let index = 0; index < 120; index++) {
    const pool = pools[index % 2 === 0 ? 0 : 1];
    const [inputMint, outputMint] = market.below(2) === 0 ? [WSOL, coin] : [coin, WSOL];
    const amountIn = BigInt(1 + market.below(4_000_000_000));
    if (playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn })) trades++;
  }
  assert.ok(trades > 100);
});

test("a ray_log carries direction, reserves before the trade and what was paid", () => {
  const market = playedMarket([raydiumAmmV4Program], 43);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const logOf = (inputMint: Address, outputMint: Address) => {
    const order = { pool, inputMint, outputMint, amountIn: 1_000_000_000n };
    const done = playTrade(market, PARTS, order);
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

test("liquidity leaves and returns in proportion; the operator pauses and changes the fee", () => {
  const market = playedMarket([raydiumAmmV4Program], 47);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const apply = (changes: AccountChanges | null | undefined) => {
    assert.ok(changes);
    store(market.accounts, changes);
  };
  const { accounts } = market;
  apply(raydiumAmmV4Program.changeLiquidity(accounts, pool, 2_500, MARKET_CLOCK));
  assert.equal(stateOf(market, pool).coin.vaultAmount, 375_000_000_000n);
  apply(raydiumAmmV4Program.changeLiquidity(accounts, pool, -10_000, MARKET_CLOCK));
  assert.equal(stateOf(market, pool).pc.vaultAmount, 120_000_000_000n);
  apply(raydiumAmmV4Program.setPaused?.(accounts, pool, true, MARKET_CLOCK));
  assert.equal(raydiumAmmV4.status(stateOf(market, pool), MARKET_CLOCK), "paused");
  apply(raydiumAmmV4Program.setPaused?.(accounts, pool, false, MARKET_CLOCK));
  apply(raydiumAmmV4Program.setFee?.(accounts, pool, 30_000, MARKET_CLOCK));
  assert.equal(raydiumAmmV4.feePpm(stateOf(market, pool), coin, MARKET_CLOCK), 30_000);
});
