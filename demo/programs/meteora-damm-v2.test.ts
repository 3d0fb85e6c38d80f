import assert from "node:assert/strict";
import { test } from "node:test";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { configuredPool, meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { GRADUATION_CONFIGS } from "#src/venues/meteora-damm-v2/layout.ts";
import {
  assertOperatorControls,
  MARKET_CLOCK,
  playProgram,
} from "#test/support/markets/played-market.ts";
import { meteoraDammV2Program } from "./meteora-damm-v2.ts";

const PARTS = { venue: meteoraDammV2, program: meteoraDammV2Program };

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playProgram(PARTS, 41);
  const { coin, open, below } = market;
  const first = { pool: open(), coin, quoteMint: WSOL };
  const second = { pool: open({ baseMint: WSOL, quoteMint: coin }), coin, quoteMint: WSOL };
  assert.notEqual(second.pool, first.pool);
  const amountIn = () => BigInt(1 + below(4_000_000_000));
  assert.ok(market.tradeOften([first, second], { count: 120, amountIn }) > 100);
  assert.equal(first.pool, configuredPool(GRADUATION_CONFIGS[2], coin, WSOL));
  const { dynamicFee, tokenB } = market.stateOf(first.pool);
  assert.ok((dynamicFee?.volatilityAccumulator ?? 0n) > 0n && tokenB.protocolFee > 0n);
});

test("a new pool takes both amounts, but for a millionth that its range leaves", () => {
  const market = playProgram(PARTS, 42);
  const { tokenA, tokenB } = market.stateOf(market.open());
  const near = (amount: bigint, wanted: bigint) =>
    amount <= wanted + 1n && wanted - amount <= wanted / 1_000_000n;
  assert.ok(near(tokenA.reserve, 500_000_000_000n), String(tokenA.reserve));
  assert.ok(near(tokenB.reserve, 80_000_000_000n), String(tokenB.reserve));
});

test("an EvtSwap2 is left as a call to itself, with amounts, fees and reserves after", () => {
  const market = playProgram(PARTS, 43);
  const { coin } = market;
  const pool = market.open();
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = market.trade(order);
  assert.ok(sold);
  assert.ok(!sold.logs.some((line) => line.startsWith("Program data:")));
  const [call] = sold.innerInstructionData;
  assert.ok(call);
  const at = new ByteReader(call);
  assert.equal(at.length, 196);
  assert.ok(at.has(0, discriminator("e445a52e51cb9a1d")));
  assert.ok(at.has(8, discriminator("bd4233a826507599")));
  assert.equal(at.address(16), pool);
  assert.deepEqual([at.u8(48), at.u8(49), at.bool(50)], [0, 1, false]);
  assert.deepEqual([at.u64(51), at.u64(59), at.u8(67)], [1_000_000_000n, 0n, 0]);
  assert.deepEqual([at.u64(68), at.u64(76), at.u64(84)], [1_000_000_000n, 1_000_000_000n, 0n]);
  assert.equal(at.u64(92), sold.amountOut);
  const after = market.stateOf(pool);
  assert.equal(at.u128(100), after.sqrtPrice);
  const fees = at.u64(116) + at.u64(124) + at.u64(132) + at.u64(140);
  assert.equal(fees, (sold.amountOut + fees + 99n) / 100n);
  assert.deepEqual(
    [at.u64(148), at.u64(156), at.u64(164)],
    [1_000_000_000n, sold.amountOut, sold.amountOut],
  );
  assert.equal(at.u64(172), MARKET_CLOCK.unixTimestamp);
  assert.deepEqual([at.u64(180), at.u64(188)], [after.tokenA.reserve, after.tokenB.reserve]);
});

test("liquidity leaves and returns in proportion", () => {
  const market = playProgram(PARTS, 47);
  const { accounts, apply } = market;
  const pool = market.open();
  const before = market.stateOf(pool);
  apply(meteoraDammV2Program.changeLiquidity(accounts, pool, 5_000, MARKET_CLOCK));
  const halved = market.stateOf(pool);
  assert.equal(halved.liquidity, before.liquidity - before.liquidity / 2n);
  assert.ok(halved.tokenB.reserve >= before.tokenB.reserve / 2n);
  assert.ok(halved.tokenB.reserve <= before.tokenB.reserve / 2n + 2n);
  apply(meteoraDammV2Program.changeLiquidity(accounts, pool, -10_000, MARKET_CLOCK));
  assert.equal(market.stateOf(pool).liquidity, halved.liquidity * 2n);
});

test("the operator pauses a pool and changes its fee", () => {
  const market = playProgram(PARTS, 53);
  assertOperatorControls(PARTS, market, market.open(), 30_000);
});
