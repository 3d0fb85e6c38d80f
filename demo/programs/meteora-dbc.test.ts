import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import { MARKET_CLOCK, playProgram } from "#test/support/markets/played-market.ts";
import { meteoraDbcProgram } from "./meteora-dbc.ts";
import { migrateCurve } from "./meteora-dbc-graduation.ts";

const PARTS = { venue: meteoraDbc, program: meteoraDbcProgram };
const SOL = 1_000_000_000n;

function complete(quoteMint: Address, seed: number) {
  const market = playProgram(PARTS, seed);
  const pool = market.open({ quoteMint });
  const { coin, accounts } = market;
  const trade = { pool, inputMint: quoteMint, outputMint: coin, amountIn: 10_000n * SOL };
  const user = market.freshAddress();
  const done = meteoraDbcProgram.swap(accounts, { ...trade, user, clock: MARKET_CLOCK });
  assert.ok(done.kind === "done");
  market.apply(done.changes);
  return { market, coin, pool, done };
}

test("curves move by the venue's own quotes, trade after trade, in SOL and in USDC", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const market = playProgram(PARTS, 21);
    const { coin, below } = market;
    const pool = market.open({ quoteMint });
    const amountIn = (isBuy: boolean) => BigInt(isBuy ? 1 + below(8e8) : 1 + below(9e12));
    const trades = { count: 80, buysOfTen: 6, amountIn };
    assert.ok(market.tradeOften([{ pool, coin, quoteMint }], trades) > 50);
    const state = market.stateOf(pool);
    assert.equal(state.baseVaultBalance, state.baseReserve);
    const { protocol, partner, creator } = state.quoteFees;
    assert.equal(state.quoteVaultBalance, state.quoteReserve + protocol + partner + creator);
  }
});

test("both events of a sale carry what moved, in the program's layout", () => {
  const market = playProgram(PARTS, 22);
  const { coin } = market;
  const pool = market.open();
  const purchase = { pool, inputMint: WSOL, outputMint: coin, amountIn: 5n * SOL };
  const bought = market.trade(purchase);
  assert.ok(bought);
  const { amountOut: amountIn } = bought;
  const sold = market.trade({ pool, inputMint: coin, outputMint: WSOL, amountIn });
  assert.ok(sold);
  assert.deepEqual(
    sold.innerInstructionData.map(({ length }) => length),
    [170, 195],
  );
  const [swap, swap2] = sold.innerInstructionData.map((bytes) => new ByteReader(bytes));
  assert.ok(swap && swap2);
  const after = market.stateOf(pool);
  assert.equal(swap.address(16), pool);
  assert.equal(swap.u8(80), 0, "base to quote");
  assert.equal(swap.u64(98), amountIn);
  assert.equal(swap.u64(106), sold.amountOut);
  assert.equal(swap.u128(114), after.sqrtPrice);
  assert.equal(swap2.u64(99), amountIn);
  assert.equal(swap2.u64(115), 0n, "nothing left");
  assert.equal(swap2.u64(123), sold.amountOut);
  assert.equal(swap2.u128(131), after.sqrtPrice);
  assert.equal(swap2.u64(171), after.quoteReserve);
  assert.equal(swap2.u64(179), after.config.migrationQuoteThreshold);
});

test("the last purchase takes what is left, completes the curve and emits the event", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const { market, pool, done } = complete(quoteMint, 23);
    const state = market.stateOf(pool);
    assert.equal(meteoraDbc.status(state, MARKET_CLOCK), "complete");
    assert.equal(state.sqrtPrice, state.config.migrationSqrtPrice);
    const [, swap2, completion] = done.innerInstructionData.map((bytes) => new ByteReader(bytes));
    assert.ok(swap2 && completion);
    assert.equal(swap2.u8(98), 1, "partial fill");
    assert.equal(swap2.u64(99) + swap2.u64(115), 10_000n * SOL);
    assert.equal(completion.u64(88), state.quoteReserve);
  }
});

test("a complete curve migrates once, with its threshold and the base that the price requires", () => {
  const { market, pool } = complete(WSOL, 24);
  const before = market.stateOf(pool);
  const migration = migrateCurve(market.accounts, pool, MARKET_CLOCK);
  assert.ok(migration);
  market.apply(migration.changes);
  const after = market.stateOf(pool);
  assert.equal(meteoraDbc.status(after, MARKET_CLOCK), "migrated");
  assert.equal(migration.quoteAmount, 85n * SOL);
  assert.equal(after.quoteVaultBalance, (before.quoteVaultBalance ?? 0n) - 85n * SOL);
  assert.equal(after.baseVaultBalance, (before.baseVaultBalance ?? 0n) - migration.baseAmount);
  assert.ok(migration.baseAmount > before.config.migrationBaseThreshold);
  assert.equal(migrateCurve(market.accounts, pool, MARKET_CLOCK), null);
});

test("DAMM v2's search finds the graduated pool, which sells at the curve's last price", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const { market, coin, pool } = complete(quoteMint, 27);
    const { accounts, freshAddress } = market;
    const migration = { baseMint: coin, clock: MARKET_CLOCK, freshAddress, program: () => null };
    const graduation = meteoraDbcProgram.graduate?.(accounts, pool, migration);
    assert.ok(graduation);
    market.apply(graduation.changes);
    assert.ok(meteoraDammV2.search(coin, quoteMint).configured().includes(graduation.pool));
    const decoded = meteoraDammV2.decode(graduation.pool, accounts);
    assert.ok(decoded.kind === "pool");
    const { migrationSqrtPrice, migrationQuoteThreshold } = market.stateOf(pool).config;
    assert.equal(decoded.state.sqrtPrice, migrationSqrtPrice);
    const depth = meteoraDammV2.reachable(decoded.state, coin, 10_000);
    assert.ok(depth <= migrationQuoteThreshold && depth > migrationQuoteThreshold - 10n);
    const order = { inputMint: coin, amountIn: 10n ** 12n, clock: MARKET_CLOCK };
    assert.equal(meteoraDammV2.quoteExactIn(decoded.state, order).kind, "filled");
  }
});

test("a curve that still sells does not migrate, and its liquidity can't be withdrawn", () => {
  const market = playProgram(PARTS, 25);
  const pool = market.open();
  assert.equal(migrateCurve(market.accounts, pool, MARKET_CLOCK), null);
  assert.equal(meteoraDbcProgram.changeLiquidity(market.accounts, pool, 500, MARKET_CLOCK), null);
});

test("a raised fee holds for every curve of the config", () => {
  const market = playProgram(PARTS, 26);
  const coin = market.freshAddress();
  const pools = [market.open(), market.open({ baseMint: coin })] as const;
  market.apply(meteoraDbcProgram.setFee?.(market.accounts, pools[0], 50_000, MARKET_CLOCK));
  assert.equal(meteoraDbc.feePpm(market.stateOf(pools[1]), coin, MARKET_CLOCK), 50_000);
});
