import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ByteReader, discriminator } from "#src/venues/byte-reader.ts";
import { configuredPool, meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { GRADUATION_CONFIGS } from "#src/venues/meteora-damm-v2/layout.ts";
import {
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import type { AccountChanges } from "../market-program.ts";
import { meteoraDammV2Program } from "./meteora-damm-v2.ts";

const PARTS = { venue: meteoraDammV2, program: meteoraDammV2Program };

function open(market: PlayedMarket, baseMint: Address, quoteMint: Address): Address {
  const { freshAddress } = market;
  const opened = meteoraDammV2Program.createPool(market.accounts, {
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
  const decoded = meteoraDammV2.decode(pool, market.accounts);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  return decoded.state;
}

test("pools move by the venue's own quotes, trade after trade, whichever side the coin is on", () => {
  const market = playedMarket([meteoraDammV2Program], 41);
  const coin = market.freshAddress();
  const pools = [open(market, coin, WSOL), open(market, WSOL, coin)] as const;
  assert.equal(pools[0], configuredPool(GRADUATION_CONFIGS[2], coin, WSOL));
  let trades = 0;
  for (let index = 0; index < 120; index++) {
    const pool = pools[index % 2 === 0 ? 0 : 1];
    const [inputMint, outputMint] = market.below(2) === 0 ? [WSOL, coin] : [coin, WSOL];
    const amountIn = BigInt(1 + market.below(4_000_000_000));
    if (playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn })) trades++;
  }
  assert.ok(trades > 100);
  const { dynamicFee, tokenB } = stateOf(market, pools[0]);
  assert.ok((dynamicFee?.volatilityAccumulator ?? 0n) > 0n && tokenB.protocolFee > 0n);
});

test("a new pool takes both amounts, but for a millionth that its range leaves", () => {
  const market = playedMarket([meteoraDammV2Program], 42);
  const coin = market.freshAddress();
  const { tokenA, tokenB } = stateOf(market, open(market, coin, WSOL));
  const near = (amount: bigint, wanted: bigint) =>
    amount <= wanted + 1n && wanted - amount <= wanted / 1_000_000n;
  assert.ok(near(tokenA.reserve, 500_000_000_000n), String(tokenA.reserve));
  assert.ok(near(tokenB.reserve, 80_000_000_000n), String(tokenB.reserve));
});

test("an EvtSwap2 is left as a call to itself, with amounts, fees and reserves after", () => {
  const market = playedMarket([meteoraDammV2Program], 43);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const order = { pool, inputMint: coin, outputMint: WSOL, amountIn: 1_000_000_000n };
  const sold = playTrade(market, PARTS, order);
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
  const after = stateOf(market, pool);
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

test("liquidity leaves and returns in proportion; the operator pauses and changes the fee", () => {
  const market = playedMarket([meteoraDammV2Program], 47);
  const coin = market.freshAddress();
  const pool = open(market, coin, WSOL);
  const apply = (changes: AccountChanges | null | undefined) => {
    assert.ok(changes);
    store(market.accounts, changes);
  };
  const { accounts } = market;
  const before = stateOf(market, pool);
  apply(meteoraDammV2Program.changeLiquidity(accounts, pool, 5_000, MARKET_CLOCK));
  const halved = stateOf(market, pool);
  assert.equal(halved.liquidity, before.liquidity - before.liquidity / 2n);
  assert.ok(halved.tokenB.reserve >= before.tokenB.reserve / 2n);
  assert.ok(halved.tokenB.reserve <= before.tokenB.reserve / 2n + 2n);
  apply(meteoraDammV2Program.changeLiquidity(accounts, pool, -10_000, MARKET_CLOCK));
  assert.equal(stateOf(market, pool).liquidity, halved.liquidity * 2n);
  apply(meteoraDammV2Program.setPaused?.(accounts, pool, true, MARKET_CLOCK));
  assert.equal(meteoraDammV2.status(stateOf(market, pool), MARKET_CLOCK), "paused");
  apply(meteoraDammV2Program.setPaused?.(accounts, pool, false, MARKET_CLOCK));
  apply(meteoraDammV2Program.setFee?.(accounts, pool, 30_000, MARKET_CLOCK));
  assert.equal(meteoraDammV2.feePpm(stateOf(market, pool), coin, MARKET_CLOCK), 30_000);
});
