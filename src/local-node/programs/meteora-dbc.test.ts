import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { ByteReader } from "#src/venues/byte-reader.ts";
import { meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import type { DbcState } from "#src/venues/meteora-dbc/state.ts";
import {
  MARKET_CLOCK,
  type PlayedMarket,
  playedMarket,
  playTrade,
  store,
} from "#test/support/played-market.ts";
import { meteoraDbcProgram } from "./meteora-dbc.ts";
import { migrateCurve } from "./meteora-dbc-graduation.ts";

const PARTS = { venue: meteoraDbc, program: meteoraDbcProgram };
const SOL = 1_000_000_000n;

function launch(market: PlayedMarket, quoteMint: Address): { coin: Address; pool: Address } {
  const { accounts, freshAddress } = market;
  const coin = freshAddress();
  const opened = meteoraDbcProgram.createPool(accounts, {
    baseMint: coin,
    quoteMint,
    baseAmount: 0n,
    quoteAmount: 0n,
    creator: freshAddress(),
    clock: MARKET_CLOCK,
    freshAddress,
  });
  store(accounts, opened.changes);
  return { coin, pool: opened.pool };
}

function stateOf(market: PlayedMarket, pool: Address): DbcState {
  const decoded = meteoraDbc.decode(pool, market.accounts);
  assert.ok(decoded.kind === "pool");
  return decoded.state;
}

function complete(market: PlayedMarket, quoteMint: Address) {
  const { coin, pool } = launch(market, quoteMint);
  const trade = { pool, inputMint: quoteMint, outputMint: coin, amountIn: 10_000n * SOL };
  const user = market.freshAddress();
  const done = meteoraDbcProgram.swap(market.accounts, { ...trade, user, clock: MARKET_CLOCK });
  assert.ok(done.kind === "done");
  store(market.accounts, done.changes);
  return { coin, pool, done };
}

test("curves move by the venue's own quotes, trade after trade, in SOL and in USDC", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const market = playedMarket([meteoraDbcProgram], 21);
    const { coin, pool } = launch(market, quoteMint);
    let trades = 0;
    for (let index = 0; index < 80; index++) {
      const isBuy = market.below(10) < 6;
      const amountIn = BigInt(isBuy ? 1 + market.below(8e8) : 1 + market.below(9e12));
      const [inputMint, outputMint] = isBuy ? [quoteMint, coin] : [coin, quoteMint];
      const done = playTrade(market, PARTS, { pool, inputMint, outputMint, amountIn });
      if (done !== null) trades++;
    }
    assert.ok(trades > 50);
    const { baseVaultBalance, baseReserve, quoteVaultBalance, quoteReserve, quoteFees } = stateOf(
      market,
      pool,
    );
    assert.equal(baseVaultBalance, baseReserve);
    const { protocol, partner, creator } = quoteFees;
    assert.equal(quoteVaultBalance, quoteReserve + protocol + partner + creator);
  }
});

test("both events of a sale tell what moved, in the program's layout", () => {
  const market = playedMarket([meteoraDbcProgram], 22);
  const { coin, pool } = launch(market, WSOL);
  const bought = playTrade(market, PARTS, {
    pool,
    inputMint: WSOL,
    outputMint: coin,
    amountIn: 5n * SOL,
  });
  assert.ok(bought);
  const { amountOut: amountIn } = bought;
  const sold = playTrade(market, PARTS, { pool, inputMint: coin, outputMint: WSOL, amountIn });
  assert.ok(sold);
  assert.deepEqual(
    sold.innerInstructionData.map(({ length }) => length),
    [170, 195],
  );
  const [swap, swap2] = sold.innerInstructionData.map((bytes) => new ByteReader(bytes));
  assert.ok(swap && swap2);
  const after = stateOf(market, pool);
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

test("the last purchase takes what is left, completes the curve and says so", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const market = playedMarket([meteoraDbcProgram], 23);
    const { pool, done } = complete(market, quoteMint);
    const state = stateOf(market, pool);
    assert.equal(meteoraDbc.status(state, MARKET_CLOCK), "complete");
    assert.equal(state.sqrtPrice, state.config.migrationSqrtPrice);
    const [, swap2, completion] = done.innerInstructionData.map((bytes) => new ByteReader(bytes));
    assert.ok(swap2 && completion);
    assert.equal(swap2.u8(98), 1, "partial fill");
    assert.equal(swap2.u64(99) + swap2.u64(115), 10_000n * SOL);
    assert.equal(completion.u64(88), state.quoteReserve);
  }
});

test("a complete curve migrates once, with its threshold and the base that the price asks for", () => {
  const market = playedMarket([meteoraDbcProgram], 24);
  const { pool } = complete(market, WSOL);
  const before = stateOf(market, pool);
  const migration = migrateCurve(market.accounts, pool, MARKET_CLOCK);
  assert.ok(migration);
  store(market.accounts, migration.changes);
  const after = stateOf(market, pool);
  assert.equal(meteoraDbc.status(after, MARKET_CLOCK), "migrated");
  assert.equal(migration.quoteAmount, 85n * SOL);
  assert.equal(after.quoteVaultBalance, (before.quoteVaultBalance ?? 0n) - 85n * SOL);
  assert.equal(after.baseVaultBalance, (before.baseVaultBalance ?? 0n) - migration.baseAmount);
  assert.ok(migration.baseAmount > before.config.migrationBaseThreshold);
  assert.equal(migrateCurve(market.accounts, pool, MARKET_CLOCK), null);
});

test("the graduated pool is where DAMM v2's search looks, and sells at the curve's last price", () => {
  for (const quoteMint of [WSOL, USDC]) {
    const market = playedMarket([meteoraDbcProgram], 27);
    const { coin, pool } = complete(market, quoteMint);
    const { accounts, freshAddress } = market;
    const migration = { baseMint: coin, clock: MARKET_CLOCK, freshAddress, program: () => null };
    const graduation = meteoraDbcProgram.graduate?.(accounts, pool, migration);
    assert.ok(graduation);
    store(accounts, graduation.changes);
    assert.ok(meteoraDammV2.search(coin, quoteMint).configured().includes(graduation.pool));
    const decoded = meteoraDammV2.decode(graduation.pool, accounts);
    assert.ok(decoded.kind === "pool");
    const { migrationSqrtPrice, migrationQuoteThreshold } = stateOf(market, pool).config;
    assert.equal(decoded.state.sqrtPrice, migrationSqrtPrice);
    const depth = meteoraDammV2.reachable(decoded.state, coin, 10_000);
    assert.ok(depth <= migrationQuoteThreshold && depth > migrationQuoteThreshold - 10n);
    const order = { inputMint: coin, amountIn: 10n ** 12n, clock: MARKET_CLOCK };
    assert.equal(meteoraDammV2.quoteExactIn(decoded.state, order).kind, "filled");
  }
});

test("a curve that still sells does not migrate, and its liquidity is nobody's to take", () => {
  const market = playedMarket([meteoraDbcProgram], 25);
  const { pool } = launch(market, WSOL);
  assert.equal(migrateCurve(market.accounts, pool, MARKET_CLOCK), null);
  assert.equal(meteoraDbcProgram.changeLiquidity(market.accounts, pool, 500, MARKET_CLOCK), null);
});

test("a raised fee holds for every curve of the config", () => {
  const market = playedMarket([meteoraDbcProgram], 26);
  const first = launch(market, WSOL);
  const second = launch(market, WSOL);
  const raised = meteoraDbcProgram.setFee?.(market.accounts, first.pool, 50_000, MARKET_CLOCK);
  assert.ok(raised);
  store(market.accounts, raised);
  const fee = meteoraDbc.feePpm(stateOf(market, second.pool), second.coin, MARKET_CLOCK);
  assert.equal(fee, 50_000);
});
