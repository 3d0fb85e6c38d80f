import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACTIVATION_SLOT,
  BASE_MINT,
  CLOCK,
  type DbcPool,
  dbcAccounts,
  POOL,
  QUOTE_MINT,
} from "#test/support/pools/dbc-pool.ts";
import type { Clock } from "../venue.ts";
import { meteoraDbc } from "./adapter.ts";
import { swapExactIn } from "./quote.ts";
import type { BaseFee, DbcState, DynamicFee } from "./state.ts";

const MILLION = 10n ** 12n;
const SOL = 10n ** 9n;

function stateOf(pool: DbcPool = {}): DbcState {
  const found = meteoraDbc.decode(POOL, dbcAccounts(pool));
  assert.ok(found.kind === "pool");
  return found.state;
}

function swapped(state: DbcState, inputMint: typeof BASE_MINT, amountIn: bigint, clock = CLOCK) {
  const result = swapExactIn(state, { inputMint, amountIn, clock });
  assert.ok(
    result.kind === "filled",
    JSON.stringify(result, (_, v) => String(v)),
  );
  return result.swap;
}

function refusal(state: DbcState, inputMint: typeof BASE_MINT, amountIn: bigint) {
  const result = swapExactIn(state, { inputMint, amountIn, clock: CLOCK });
  return result.kind === "unfillable" ? result.reason : null;
}

/** Fee over what it was taken from, in parts per 10,000, rounded. */
function feeBps(state: DbcState, inputMint: typeof BASE_MINT, amountIn: bigint, clock: Clock) {
  const { amountOut, tradingFee, protocolFee, isBuy } = swapped(state, inputMint, amountIn, clock);
  const fee = tradingFee + protocolFee;
  const whole = isBuy && state.config.collects === "quote" ? amountIn : amountOut + fee;
  return Number((fee * 10_000n + whole / 2n) / whole);
}

test("a sale pays its fee on the quote that comes out, a fifth of it to the protocol", () => {
  const { amountOut, tradingFee, protocolFee, after } = swapped(stateOf(), BASE_MINT, MILLION);
  const gross = amountOut + tradingFee + protocolFee;
  assert.equal(tradingFee + protocolFee, (gross * 10_000_000n + 999_999_999n) / 1_000_000_000n);
  assert.equal(protocolFee, (tradingFee + protocolFee) / 5n);
  assert.equal(after.quoteReserve, 30_000_000_000n - gross);
  assert.equal(after.quoteFees.protocol + after.quoteFees.partner, tradingFee + protocolFee);
});

test("a purchase pays in quote where the config collects quote, else in what comes out", () => {
  const inQuote = swapped(stateOf(), QUOTE_MINT, SOL);
  assert.equal(inQuote.curveIn, SOL - 10_000_000n);
  assert.equal(inQuote.after.baseFees.protocol, 0n);
  const inBase = swapped(stateOf({ config: { collects: "output" } }), QUOTE_MINT, SOL);
  assert.equal(inBase.curveIn, SOL);
  assert.ok(inBase.after.baseFees.protocol > 0n);
  assert.equal(inBase.after.quoteFees.protocol, 0n);
});

test("the vaults hold the reserves and the fees owed, and nothing else, after any swap", () => {
  const owed = ({ protocol, partner, creator }: DbcState["baseFees"]) =>
    protocol + partner + creator;
  for (const collects of ["quote", "output"] as const)
    for (const inputMint of [BASE_MINT, QUOTE_MINT]) {
      const state = stateOf({ config: { collects, creatorTradingFeePercent: 30 } });
      const { after } = swapped(state, inputMint, inputMint === BASE_MINT ? MILLION : SOL);
      assert.equal(after.baseVaultBalance, after.baseReserve + owed(after.baseFees));
      assert.equal(after.quoteVaultBalance, after.quoteReserve + owed(after.quoteFees));
    }
});

test("orders pass from one stretch of the curve into the next, both ways", () => {
  const up = swapped(stateOf(), QUOTE_MINT, 30n * SOL);
  assert.ok(up.after.sqrtPrice > 200_000_000_000_000_000n);
  const down = swapped(up.after, BASE_MINT, up.amountOut);
  assert.ok(down.after.sqrtPrice < 200_000_000_000_000_000n);
  assert.ok(down.amountOut < 30n * SOL);
});

test("a sale below the curve's start is refused, not cut short", () => {
  assert.equal(refusal(stateOf(), BASE_MINT, 10n ** 18n), "insufficient-liquidity");
});

test("a full curve is complete and sells nothing, a migrated one never will again", () => {
  const full = stateOf({ state: { quoteReserve: 85_000_000_000n } });
  assert.equal(meteoraDbc.status(full, CLOCK), "complete");
  assert.equal(refusal(full, BASE_MINT, MILLION), "complete");
  assert.equal(meteoraDbc.spotPrice(full, BASE_MINT), null);
  assert.equal(meteoraDbc.reachable(full, BASE_MINT, 10_000), 0n);
  const gone = stateOf({ state: { quoteReserve: 85_000_000_000n, isMigrated: true } });
  assert.equal(meteoraDbc.status(gone, CLOCK), "migrated");
  assert.equal(refusal(gone, BASE_MINT, MILLION), "migrated");
});

test("the purchase that completes a curve is refused where its pool would get too few tokens", () => {
  const pool = {
    config: { migrationQuoteThreshold: 31n * SOL, migrationBaseThreshold: 10n ** 15n },
  };
  assert.equal(refusal(stateOf(pool), QUOTE_MINT, 2n * SOL), "insufficient-liquidity");
  const enough = { config: { ...pool.config, migrationBaseThreshold: 10n ** 12n } };
  const { after } = swapped(stateOf(enough), QUOTE_MINT, 2n * SOL);
  assert.equal(meteoraDbc.status(after, CLOCK), "complete");
});

test("the pool of a completed curve gets no tokens that are owed as fees or vested, to the unit", () => {
  const baseFees = { protocol: 1_000n, partner: 200n, creator: 30n };
  const completing = (migrationBaseThreshold: bigint) =>
    stateOf({
      config: { migrationQuoteThreshold: 31n * SOL, migrationBaseThreshold, vestingAmount: 4n },
      state: { baseFees },
    });
  const { baseReserve } = swapped(completing(0n), QUOTE_MINT, 2n * SOL).after;
  const most = baseReserve - 4n;
  assert.ok(swapped(completing(most), QUOTE_MINT, 2n * SOL).amountOut > 0n);
  const refused = refusal(completing(most + 1n), QUOTE_MINT, 2n * SOL);
  assert.equal(refused, "insufficient-liquidity");
});

test("a linear schedule takes off the same each period, an exponential one the same share", () => {
  const schedule = { cliffNumerator: 500_000_000n, periods: 10, periodLength: 100n };
  const at = (baseFee: BaseFee, slots: bigint) =>
    feeBps(stateOf({ config: { baseFee } }), BASE_MINT, MILLION, {
      ...CLOCK,
      slot: ACTIVATION_SLOT + slots,
    });
  const linear: BaseFee = { kind: "linear", ...schedule, reduction: 40_000_000n };
  assert.deepEqual(
    [0n, 99n, 100n, 250n, 1_000n, 9_999n].map((slots) => at(linear, slots)),
    [5_000, 5_000, 4_600, 4_200, 1_000, 1_000],
  );
  const exponential: BaseFee = { kind: "exponential", ...schedule, reduction: 1_000n };
  assert.deepEqual(
    [0n, 100n, 200n, 5_000n].map((slots) => at(exponential, slots)),
    [5_000, 4_500, 4_050, 1_743],
  );
});

test("before its activation point a schedule has no fee, and the program refuses", () => {
  const baseFee: BaseFee = {
    kind: "linear",
    cliffNumerator: 10_000_000n,
    periods: 5,
    periodLength: 10n,
    reduction: 1_000n,
  };
  const state = stateOf({ config: { baseFee }, state: { activationPoint: CLOCK.slot + 1n } });
  assert.equal(refusal(state, BASE_MINT, MILLION), "overflow");
});

test("the rate limiter raises the fee of large young purchases, never of sales", () => {
  const baseFee: BaseFee = {
    kind: "rate-limiter",
    cliffNumerator: 10_000_000n,
    incrementBps: 100,
    duration: 2_000n,
    referenceAmount: SOL,
  };
  const state = stateOf({ config: { baseFee } });
  assert.equal(feeBps(state, QUOTE_MINT, SOL, CLOCK), 100);
  assert.equal(feeBps(state, QUOTE_MINT, 2n * SOL, CLOCK), 150);
  assert.equal(feeBps(state, BASE_MINT, 100n * MILLION, CLOCK), 100);
  const later = { ...CLOCK, slot: ACTIVATION_SLOT + 2_001n };
  assert.equal(feeBps(state, QUOTE_MINT, 2n * SOL, later), 100);
});

test("the dynamic fee is paid from the stored volatility, and a large swap raises the next one's", () => {
  const dynamicFee: DynamicFee = {
    maxVolatilityAccumulator: 14_460_000,
    variableFeeControl: 956,
    binStep: 1,
    binStepQ64: 1_844_674_407_370_955n,
    filterPeriod: 10,
    decayPeriod: 120,
    reductionFactorBps: 5_000,
  };
  const state = stateOf({ config: { dynamicFee } });
  assert.equal(feeBps(state, BASE_MINT, MILLION, CLOCK), 100);
  const { after } = swapped(state, QUOTE_MINT, 20n * SOL);
  assert.equal(after.volatility.lastUpdateTimestamp, CLOCK.unixTimestamp);
  assert.ok(feeBps(after, BASE_MINT, MILLION, CLOCK) > 100);
  const soon = { ...CLOCK, unixTimestamp: CLOCK.unixTimestamp + 60n };
  const decayed = swapped(after, BASE_MINT, MILLION, soon).after.volatility;
  assert.equal(decayed.reference, after.volatility.accumulator / 2n);
});

test("spot is the square of the sqrt price, and depth the quote down to a price", () => {
  const state = stateOf();
  assert.deepEqual(meteoraDbc.spotPrice(state, BASE_MINT), {
    numerator: 180_000_000_000_000_000n ** 2n,
    denominator: 1n << 128n,
  });
  assert.deepEqual(meteoraDbc.spotPrice(state, QUOTE_MINT), {
    numerator: 1n << 128n,
    denominator: 180_000_000_000_000_000n ** 2n,
  });
  assert.equal(meteoraDbc.reachable(state, BASE_MINT, 10_000), 30_000_000_000n);
  const near = meteoraDbc.reachable(state, BASE_MINT, 1_000);
  assert.ok(near > 0n && near < 30_000_000_000n);
  assert.ok(meteoraDbc.reachable(state, QUOTE_MINT, 10_000) > 0n);
});

test("zero, a foreign mint and more than an amount can be are refused", () => {
  assert.equal(refusal(stateOf(), BASE_MINT, 0n), "amount-zero");
  assert.equal(refusal(stateOf(), POOL, 5n), "refused");
  assert.equal(refusal(stateOf(), BASE_MINT, 1n << 64n), "overflow");
});
