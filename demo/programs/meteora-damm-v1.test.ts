import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { configuredPool, meteoraDammV1 } from "#src/venues/meteora-damm-v1/adapter.ts";
import { GRADUATION_CONFIGS } from "#src/venues/meteora-damm-v1/layout.ts";
import { amountOfShare, unlockedAmount } from "#src/venues/meteora-damm-v1/vault.ts";
import {
  assertOperatorControls,
  loggedEvents,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { meteoraDammV1Program } from "./meteora-damm-v1.ts";

const PARTS = { venue: meteoraDammV1, program: meteoraDammV1Program };

test("pools move by the venue's own quotes while they share the vault of SOL", () => {
  const market = playProgram(PARTS, 41);
  const { coin, open, below, freshAddress } = market;
  const other = freshAddress();
  const pools = [
    { pool: open(), coin, quoteMint: WSOL },
    { pool: open({ baseMint: WSOL, quoteMint: other }), coin: other, quoteMint: WSOL },
  ] as const;
  assert.equal(pools[0].pool, configuredPool(GRADUATION_CONFIGS[0], coin, WSOL));
  const amountIn = () => BigInt(1 + below(4_000_000_000));
  assert.ok(market.tradeOften(pools, { count: 120, amountIn }) > 100);
  const [first, second] = pools.map(({ pool }) => market.stateOf(pool));
  assert.ok(first && second);
  assert.equal(first.b.totalAmount, second.a.totalAmount);
  assert.equal(first.b.poolLp + second.a.poolLp, first.b.lpSupply);
});

test("a Swap event carries amounts and fees of the trade", () => {
  const market = playProgram(PARTS, 43);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = market.trade(order);
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

test("liquidity leaves and returns in proportion", () => {
  const market = playProgram(PARTS, 47);
  const { accounts, apply } = market;
  const pool = market.open();
  market.open({ baseMint: market.freshAddress() });
  const held = () => {
    const { a, b } = market.stateOf(pool);
    return [a, b].map((vault) => {
      const unlocked = unlockedAmount(vault, MARKET_CLOCK.unixTimestamp);
      return amountOfShare(vault.poolLp, unlocked, vault.lpSupply);
    });
  };
  apply(meteoraDammV1Program.changeLiquidity(accounts, pool, 2_500, MARKET_CLOCK));
  assert.deepEqual(held(), [375_000_000_000n, 60_000_000_000n]);
  apply(meteoraDammV1Program.changeLiquidity(accounts, pool, -10_000, MARKET_CLOCK));
  assert.deepEqual(held(), [750_000_000_000n, 120_000_000_000n]);
});

test("the operator pauses a pool and changes its fee", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 30_000);
});
