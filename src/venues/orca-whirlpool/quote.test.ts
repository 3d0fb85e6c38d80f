import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { replay } from "#src/accuracy/replay-recorded.ts";
import { U64_MAX } from "#src/units/integer.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertReplayed } from "#test/support/pools/executions.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { type WhirlpoolFixture, whirlpoolFixture } from "#test/support/pools/whirlpools.ts";
import { orcaWhirlpool } from "./adapter.ts";
import type { AdaptiveFee } from "./adaptive-fee.ts";
import type { WhirlpoolState } from "./pool-state.ts";
import { quoteExactIn } from "./quote.ts";
import { MAX_TICK, MIN_TICK, sqrtPriceAtTick } from "./tick-math.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const LIQUIDITY = 1_000_000_000_000n;

/** One position of a hundred spacings either way around price one. */
const even: WhirlpoolFixture = {
  tickSpacing: 8,
  sqrtPriceX64: sqrtPriceAtTick(0),
  positions: [{ lower: -800, upper: 800, liquidity: LIQUIDITY }],
};

const FEE: AdaptiveFee = {
  filterPeriod: 30n,
  decayPeriod: 600n,
  reductionFactor: 5000,
  controlFactor: 40_000,
  maxAccumulator: 350_000,
  groupSize: 8,
  majorSwapThresholdTicks: 64,
  lastReferenceUpdate: 0n,
  lastMajorSwap: 0n,
  volatilityReference: 0,
  groupReference: 0,
  accumulator: 0,
};

function stateOf(fields: WhirlpoolFixture): WhirlpoolState {
  const { pool, known } = whirlpoolFixture(fields);
  return decodedState(orcaWhirlpool, pool, known);
}

function sell(state: WhirlpoolState, sells: "tokenA" | "tokenB", amountIn: bigint) {
  return quoteExactIn(state, { inputMint: state[sells].mint, amountIn, clock: CLOCK });
}

type Vector = {
  readonly name: string;
  readonly pool: WhirlpoolFixture;
  readonly sellsFirst: boolean;
  readonly amountIn: bigint;
  readonly amountOut: bigint | null;
};

const vectors: readonly Vector[] = JSON.parse(
  readFileSync(new URL("vectors/swaps.json", import.meta.url), "utf8"),
  (_, value) => (typeof value === "string" && /^-?\d+$/.test(value) ? BigInt(value) : value),
);

for (const vector of vectors) {
  test(`pays what the official SDK pays: ${vector.name}`, () => {
    const sells = vector.sellsFirst ? "tokenA" : "tokenB";
    const quote = sell(stateOf(vector.pool), sells, vector.amountIn);
    assert.equal(quote.kind === "filled" ? quote.amountOut : null, vector.amountOut);
  });
}

test("every recorded execution is replayed to the base unit, refusals included", (t) =>
  assertReplayed(t, "orca-whirlpool.jsonl.gz", { atLeast: 300 }));

test("inside one range a sale pays what the curve between two prices holds", () => {
  const quote = sell(stateOf(even), "tokenA", 1_000_000n);
  if (quote.kind !== "filled") throw new Error(quote.reason);
  const { after } = quote;
  const moved = (1n << 64n) - after.sqrtPriceX64;
  assert.equal(quote.amountOut, (LIQUIDITY * moved) >> 64n);
  assert.equal(quote.tradeFee, 3000n);
  assert.equal(after.tickCurrent, -1);
  assert.equal(after.tokenA.heldInVault, (1n << 62n) + 1_000_000n);
  assert.equal(after.tokenB.heldInVault, (1n << 62n) - quote.amountOut);
});

test("crossing a tick takes its liquidity out on the way down and in on the way up", () => {
  const state = stateOf({
    ...even,
    positions: [...even.positions, { lower: -40, upper: 40, liquidity: LIQUIDITY }],
  });
  assert.equal(state.liquidity, 2n * LIQUIDITY);
  for (const sells of ["tokenA", "tokenB"] as const) {
    const quote = sell(state, sells, 20_000_000_000n);
    if (quote.kind !== "filled") throw new Error(quote.reason);
    assert.equal(quote.after.liquidity, LIQUIDITY);
    assert.ok(Math.abs(quote.after.tickCurrent) > 40);
  }
});

test("a swap reaches through three arrays and no further", () => {
  const wide = { ...even, positions: [{ lower: -8000, upper: 8000, liquidity: LIQUIDITY }] };
  const state = stateOf(wide);
  // Arrays of 704 ticks: down to -1408, up to 2111.
  for (const [sells, end] of [
    ["tokenA", -1408],
    ["tokenB", 2111],
  ] as const) {
    const reachable = orcaWhirlpool.reachable(state, state[sells].mint, 10_000);
    const quote = sell(state, sells, 1n << 50n);
    assert.equal(amountOut(quote), "insufficient-liquidity");
    const [low, high] = [0, end].sort((a, b) => a - b).map(sqrtPriceAtTick) as [bigint, bigint];
    const difference = (LIQUIDITY * (high - low)) << (sells === "tokenA" ? 0n : 64n);
    assert.equal(reachable, sells === "tokenA" ? difference >> 64n : difference / (high * low));
  }
});

test("a sale of token B from an array's last slot begins with the next array", () => {
  const positions = [{ lower: -8000, upper: 8000, liquidity: LIQUIDITY }];
  const paidFrom = (tick: number, amountIn: bigint) =>
    amountOut(
      sell(
        stateOf({ ...even, sqrtPriceX64: sqrtPriceAtTick(tick), positions }),
        "tokenB",
        amountIn,
      ),
    );
  // As both official SDKs answer: to tick 2111, and from the slot at 696 to 2815.
  assert.equal(paidFrom(695, 76_000_000_000n), 65_864_665_854n);
  assert.equal(paidFrom(695, 78_000_000_000n), "insufficient-liquidity");
  assert.equal(paidFrom(696, 78_000_000_000n), 67_470_343_397n);
  assert.equal(paidFrom(696, 115_000_000_000n), 96_284_774_127n);
});

test("crossing the last slot of the last array ends the swap, as in the legacy SDK", () => {
  const wide = { lower: -8000, upper: 8000, liquidity: LIQUIDITY };
  const paid = (amountIn: bigint, ...atLastSlot: WhirlpoolFixture["positions"]) =>
    amountOut(sell(stateOf({ ...even, positions: [wide, ...atLastSlot] }), "tokenB", amountIn));
  const ending = { lower: 2000, upper: 2104, liquidity: 1000n };
  assert.equal(paid(111_000_000_000n, ending), 99_640_126_156n);
  assert.equal(paid(111_400_000_000n, ending), "insufficient-liquidity");
  assert.equal(paid(111_400_000_000n), 99_963_296_503n);
});

test("at the end of the price range the program takes a part, and we call it unfillable", () => {
  const splash = {
    tickSpacing: 32_896,
    sqrtPriceX64: sqrtPriceAtTick(0),
    positions: [{ lower: -13 * 32_896, upper: 13 * 32_896, liquidity: 1_000_000n }],
    feeRatePpm: 0,
  };
  const state = stateOf(splash);
  const quote = sell(state, "tokenA", 1n << 62n);
  assert.equal(quote.kind, "unfillable");
  if (quote.kind !== "unfillable") return;
  assert.equal(quote.reason, "insufficient-liquidity");
  assert.equal(quote.partlyPaid, 999_999n);
  const { pool, known } = whirlpoolFixture(splash);
  const inputMint = state.tokenA.mint;
  const order = { venue: "orca-whirlpool" as const, pool, inputMint, amountIn: 1n << 62n };
  const execution = {
    ...order,
    outputMint: state.tokenB.mint,
    amountOut: 999_999n,
    isReportedOutput: false,
    clock: CLOCK,
    accounts: known,
  };
  assert.equal(replay(execution).amountOut, 999_999n);
});

test("a pool at the end of the price range sells nothing further out", () => {
  const atEnd = { ...even, tickSpacing: 1, positions: [] };
  const low = stateOf({ ...atEnd, sqrtPriceX64: sqrtPriceAtTick(MIN_TICK) });
  assert.equal(amountOut(sell(low, "tokenA", 5n)), "insufficient-liquidity");
  const high = stateOf({ ...atEnd, sqrtPriceX64: sqrtPriceAtTick(MAX_TICK) });
  assert.equal(amountOut(sell(high, "tokenB", 5n)), "insufficient-liquidity");
});

test("the first unit sells beyond an empty range, at the price where liquidity begins", () => {
  const state = stateOf({
    ...even,
    positions: [{ lower: -800, upper: -400, liquidity: LIQUIDITY }],
  });
  assert.deepEqual(orcaWhirlpool.spotPrice(state, state.tokenA.mint), {
    numerator: sqrtPriceAtTick(-400) ** 2n,
    denominator: 1n << 128n,
  });
  assert.equal(orcaWhirlpool.spotPrice(state, state.tokenB.mint), null);
  assert.equal(orcaWhirlpool.reachable(state, state.tokenB.mint, 10_000), 0n);
  assert.equal(sell(state, "tokenA", 1_000_000n).kind, "filled");
});

test("an order too small to pay anything is filled for nothing", () => {
  assert.equal(amountOut(sell(stateOf(even), "tokenA", 1n)), 0n);
});

test("an adaptive fee grows with every group that the price crosses", () => {
  const calm = stateOf(even);
  const stormy = stateOf({ ...even, adaptiveFee: FEE });
  assert.equal(amountOut(sell(stormy, "tokenA", 100n)), amountOut(sell(calm, "tokenA", 100n)));
  const large = sell(stormy, "tokenA", 20_000_000_000n);
  const plain = sell(calm, "tokenA", 20_000_000_000n);
  if (large.kind !== "filled" || plain.kind !== "filled") throw new Error("unfillable");
  assert.ok(large.amountOut < plain.amountOut);
  const fee = large.after.adaptiveFee;
  assert.equal(fee?.lastReferenceUpdate, CLOCK.unixTimestamp);
  assert.equal(fee?.lastMajorSwap, CLOCK.unixTimestamp);
  assert.ok(fee !== null && fee.accumulator > 300_000);
  assert.ok(orcaWhirlpool.feePpm(large.after, calm.tokenA.mint, CLOCK) > 3000);
});

test("an adaptive fee that is full falls towards its reference, as in both official SDKs", () => {
  const recent = CLOCK.unixTimestamp - 10n;
  const full = { ...FEE, maxAccumulator: 50_000, accumulator: 50_000 };
  const adaptiveFee = { ...full, lastReferenceUpdate: recent, lastMajorSwap: recent };
  for (const [sells, tick, expected] of [
    ["tokenA", 200, [5_056_987_871n, 8_066_951_879n, 10_064_573_959n, 19_930_282_778n]],
    ["tokenB", -200, [5_056_987_871n, 8_066_947_453n, 10_064_317_773n, 19_930_283_442n]],
  ] as const) {
    const state = stateOf({ ...even, sqrtPriceX64: sqrtPriceAtTick(tick), adaptiveFee });
    const paid = [5n, 8n, 10n, 20n].map((size) =>
      amountOut(sell(state, sells, size * 1_000_000_000n)),
    );
    assert.deepEqual(paid, expected);
  }
});

test("the stated fee is what a first unit pays, past a range without liquidity too", () => {
  for (const away of [0, 8, 64, 320, 640]) {
    for (const [sells, lower] of [
      ["tokenA", -away - 640],
      ["tokenB", away],
    ] as const) {
      const positions = [{ lower, upper: lower + 640, liquidity: 1n << 80n }];
      const state = stateOf({ ...even, positions, adaptiveFee: FEE });
      const mint = state[sells].mint;
      const swap = quoteExactIn(state, { inputMint: mint, amountIn: 10n ** 12n, clock: CLOCK });
      assert.ok(swap.kind === "filled");
      const paidPpm = Number(swap.tradeFee) / 1e6;
      assert.ok(
        Math.abs(orcaWhirlpool.feePpm(state, mint, CLOCK) - paidPpm) <= 1,
        `${sells} ${away}`,
      );
    }
  }
});

test("a clock behind the Oracle's is refused", () => {
  const ahead = { ...FEE, lastMajorSwap: CLOCK.unixTimestamp + 1n };
  assert.equal(
    amountOut(sell(stateOf({ ...even, adaptiveFee: ahead }), "tokenA", 100n)),
    "refused",
  );
});

test("an adaptive fee that never fills its accumulator ends in a refusal, not in a stall", () => {
  const endless = { ...FEE, groupSize: 1, maxAccumulator: 4_000_000_000, controlFactor: 1 };
  const state = stateOf({
    tickSpacing: 64,
    sqrtPriceX64: sqrtPriceAtTick(6),
    positions: [{ lower: -16_384, upper: 16_384, liquidity: 1n << 50n }],
    adaptiveFee: endless,
  });
  assert.equal(amountOut(sell(state, "tokenA", 1n << 49n)), "refused");
});

test("trading is refused before the Oracle's time, not a second longer", () => {
  const opensNow = { ...even, adaptiveFee: FEE, tradeEnableTimestamp: CLOCK.unixTimestamp };
  assert.equal(sell(stateOf(opensNow), "tokenA", 100n).kind, "filled");
  const later = stateOf({ ...opensNow, tradeEnableTimestamp: CLOCK.unixTimestamp + 1n });
  assert.equal(amountOut(sell(later, "tokenA", 100n)), "not-open-yet");
  assert.equal(orcaWhirlpool.status(later, CLOCK), "not-open-yet");
});

test("transfer fees of the epoch are taken on the way in and on the way out", () => {
  const fee = { epoch: 0n, maximum: U64_MAX, feeBps: 100 };
  const schedule = { older: fee, newer: fee };
  const plain = sell(stateOf(even), "tokenA", 990_000n);
  const taxed = stateOf({ ...even, transferFeeA: schedule, transferFeeB: schedule });
  if (plain.kind !== "filled") throw new Error(plain.reason);
  const gross = plain.amountOut;
  const paid = gross - (gross * 100n + 9_999n) / 10_000n;
  const charged = sell(taxed, "tokenA", 1_000_000n);
  assert.equal(amountOut(charged), paid);
  assert.ok(charged.kind === "filled");
  assert.equal(charged.after.tokenA.heldInVault, (1n << 62n) + 990_000n);
  assert.equal(charged.after.tokenB.heldInVault, (1n << 62n) - gross);
  assert.equal(orcaWhirlpool.feePpm(taxed, taxed.tokenA.mint, CLOCK), 22_841);
});

test("amounts at the edges give a reason", () => {
  const state = stateOf(even);
  assert.equal(amountOut(sell(state, "tokenA", 0n)), "amount-zero");
  assert.equal(amountOut(sell(state, "tokenA", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(sell(state, "tokenA", U64_MAX)), "insufficient-liquidity");
  const foreign = { inputMint: testAddress(99), amountIn: 5n, clock: CLOCK };
  assert.deepEqual(orcaWhirlpool.quoteExactIn(state, foreign), {
    kind: "unfillable",
    reason: "refused",
  });
});
