import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { configuredPool, meteoraDammV1 } from "#src/venues/meteora-damm-v1/adapter.ts";
import { GRADUATION_CONFIGS } from "#src/venues/meteora-damm-v1/layout.ts";
import { poolAmount } from "#src/venues/meteora-damm-v1/vault.ts";
import {
  loggedEvents,
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import type { AccountChanges } from "../market-program.ts";
import { meteoraDammV1Program } from "./meteora-damm-v1.ts";

const PARTS = { venue: meteoraDammV1, program: meteoraDammV1Program };

function open(market: PlayedMarket, baseMint: Address, quoteMint: Address): Address {
  const { freshAddress } = market;
  const opened = meteoraDammV1Program.createPool(market.accounts, {
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
  const decoded = meteoraDammV1.decode(pool, market.accounts);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

test("pools move by the venue's own quotes, though they share the vault of SOL", () => {
  const market = playedMarket([meteoraDammV1Program], 41);
  const coins = [market.freshAddress(), market.freshAddress()] as const;
  const pools = [open(market, coins[0], WSOL), open(market, WSOL, coins[1])] as const;
  assert.equal(pools[0], configuredPool(GRADUATION_CONFIGS[0], coins[0], WSOL));
  let trades = 0;
  for (let index = 0; index < 120; index++) {
    const which = index % 2 === 0 ? 0 : 1;
    const [pool, coin] = [pools[which], coins[which]];
    const [inputMint, outputMint] = market.below(2) === 0 ? [WSOL, coin] : [coin, WSOL];
    const amountIn = BigInt(1 + market.below(4_000_000_000));
    if (playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn })) trades++;
  }
  assert.ok(trades > 100);
  const [first, second] = pools.map((pool) => stateOf(market, pool));
  assert.ok(first && second);
  assert.equal(first.b.totalAmount, second.a.totalAmount);
  assert.equal(first.b.poolLp + second.a.poolLp, first.b.lpSupply);
});

test("a Swap event carries amounts and fees of the trade", () => {
  const market = playedMarket([meteoraDammV1Program], 43);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = playTrade(market, PARTS, order);
  assert.ok(sold);
  assert.equal(sold.instructionAccounts[0], pool);
  const [event] = loggedEvents(sold.logs);
  assert.ok(event);
  const at = new ByteReader(event);
  assert.equal(at.length, 48);
  assert.ok(at.has(0, discriminator("516ce3becdd00ac4")));
  assert.deepEqual([at.u64(8), at.u64(16)], [1_000_000_000n, sold.amountOut]);
  assert.deepEqual([at.u64(24), at.u64(32), at.u64(40)], [2_000_000n, 500_000n, 0n]);
});

test("liquidity leaves and returns in proportion; the operator pauses and changes the fee", () => {
  const market = playedMarket([meteoraDammV1Program], 47);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  open(market, market.freshAddress(), WSOL);
  const apply = (changes: AccountChanges | null | undefined) => {
    assert.ok(changes);
    store(market.accounts, changes);
  };
  const held = () => {
    const { a, b } = stateOf(market, pool);
    return [poolAmount(a, MARKET_CLOCK.unixTimestamp), poolAmount(b, MARKET_CLOCK.unixTimestamp)];
  };
  const { accounts } = market;
  apply(meteoraDammV1Program.changeLiquidity(accounts, pool, 2_500, MARKET_CLOCK));
  assert.deepEqual(held(), [375_000_000_000n, 60_000_000_000n]);
  apply(meteoraDammV1Program.changeLiquidity(accounts, pool, -10_000, MARKET_CLOCK));
  assert.deepEqual(held(), [750_000_000_000n, 120_000_000_000n]);
  apply(meteoraDammV1Program.setPaused?.(accounts, pool, true, MARKET_CLOCK));
  assert.equal(meteoraDammV1.status(stateOf(market, pool), MARKET_CLOCK), "paused");
  apply(meteoraDammV1Program.setPaused?.(accounts, pool, false, MARKET_CLOCK));
  apply(meteoraDammV1Program.setFee?.(accounts, pool, 30_000, MARKET_CLOCK));
  assert.equal(meteoraDammV1.feePpm(stateOf(market, pool), coin, MARKET_CLOCK), 30_000);
});
