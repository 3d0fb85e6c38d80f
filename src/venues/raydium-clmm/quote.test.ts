import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { U64_MAX } from "#src/units/integer.ts";
import { type ClmmFixture, clmmFixture } from "#test/support/pools/clmm-pools.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { assertReplayed } from "#test/support/pools/executions.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import { raydiumClmm } from "./adapter.ts";
import type { ClmmState } from "./pool-state.ts";
import { quoteExactIn } from "./quote.ts";
import { sqrtPriceAtTick } from "./tick-math.ts";

const CLOCK = { slot: 1n, unixTimestamp: 1_790_000_000n, epoch: 925n };
const LIQUIDITY = 1_000_000_000_000n;

/** One position of a hundred spacings either way around price one. */
const even: ClmmFixture = {
  tickSpacing: 10,
  sqrtPriceX64: sqrtPriceAtTick(0),
  positions: [{ lower: -1000, upper: 1000, liquidity: LIQUIDITY }],
};

function stateOf(fields: ClmmFixture): ClmmState {
  const { pool, accounts } = clmmFixture(fields);
  return decodedState(raydiumClmm, pool, accounts);
}

function sell(state: ClmmState, sells: "token0" | "token1", amountIn: bigint) {
  return quoteExactIn(state, { inputMint: state[sells].mint, amountIn, clock: CLOCK });
}

type Vector = {
  readonly name: string;
  readonly pool: ClmmFixture;
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
    const sells = vector.sellsFirst ? "token0" : "token1";
    const quote = sell(stateOf(vector.pool), sells, vector.amountIn);
    assert.equal(quote.kind === "filled" ? quote.amountOut : null, vector.amountOut);
  });
}

for (const [file, atLeast] of [
  ["raydium-clmm.jsonl.gz", 606],
  ["raydium-clmm.mainnet.jsonl.gz", 17],
] as const) {
  test(`every recorded execution of ${file} is replayed to the base unit, refusals included`, (t) =>
    assertReplayed(t, file, { atLeast }));
}

test("inside one range a sale pays what the curve between two prices holds", () => {
  const quote = sell(stateOf(even), "token0", 1_000_000n);
  if (quote.kind !== "filled") throw new Error(quote.reason);
  const { after } = quote;
  const moved = (1n << 64n) - after.sqrtPriceX64;
  assert.equal(quote.amountOut, (LIQUIDITY * moved) >> 64n);
  assert.equal(quote.tradeFee, 2500n);
  assert.equal(after.tickCurrent, -1);
  assert.equal(after.token0.heldInVault, (1n << 62n) + 1_000_000n);
  assert.equal(after.token1.heldInVault, (1n << 62n) - quote.amountOut);
});

test("crossing a tick takes its liquidity out on the way down and in on the way up", () => {
  const state = stateOf({
    ...even,
    positions: [...even.positions, { lower: -50, upper: 50, liquidity: LIQUIDITY }],
  });
  assert.equal(state.liquidity, 2n * LIQUIDITY);
  for (const [sells, tick] of [
    ["token0", -51],
    ["token1", 50],
  ] as const) {
    const quote = sell(state, sells, 20_000_000_000n);
    if (quote.kind !== "filled") throw new Error(quote.reason);
    assert.equal(quote.after.liquidity, LIQUIDITY);
    assert.ok(sells === "token0" ? quote.after.tickCurrent < tick : quote.after.tickCurrent > tick);
  }
});

test("a sale that the ticks can't fill whole is refused, never filled in part", () => {
  const state = stateOf(even);
  assert.equal(amountOut(sell(state, "token0", LIQUIDITY)), "insufficient-liquidity");
  assert.equal(amountOut(sell(state, "token1", LIQUIDITY)), "insufficient-liquidity");
});

test("at the end of the price range too a sale is filled whole or refused", () => {
  const state = stateOf({
    ...even,
    tickSpacing: 60,
    positions: [{ lower: -443_580, upper: 443_580, liquidity: 1_000_000n }],
    orders: [
      { tick: -443_640, fresh: 1n, partFilled: 0n },
      { tick: 443_640, fresh: 1n, partFilled: 0n },
    ],
  });
  for (const sells of ["token0", "token1"] as const) {
    assert.equal(sell(state, sells, 1_000_000_000n).kind, "filled");
    assert.equal(amountOut(sell(state, sells, 1n << 62n)), "insufficient-liquidity");
  }
});

test("the first unit sells beyond an empty range, at the price where liquidity begins", () => {
  const state = stateOf({
    ...even,
    positions: [{ lower: -1000, upper: -500, liquidity: LIQUIDITY }],
  });
  const square = sqrtPriceAtTick(-500) ** 2n;
  assert.deepEqual(raydiumClmm.spotPrice(state, state.token0.mint), {
    numerator: square,
    denominator: 1n << 128n,
  });
  assert.equal(raydiumClmm.spotPrice(state, state.token1.mint), null);
  assert.equal(raydiumClmm.reachable(state, state.token1.mint, 10_000), 0n);
  assert.equal(sell(state, "token0", 1_000_000n).kind, "filled");
});

test("selling everything that is reachable drains the positions", () => {
  const state = stateOf(even);
  const range = sqrtPriceAtTick(0) - sqrtPriceAtTick(-1000);
  assert.equal(raydiumClmm.reachable(state, state.token0.mint, 10_000), (LIQUIDITY * range) >> 64n);
  const tenPercent = raydiumClmm.reachable(state, state.token0.mint, 900);
  // The price falls by the square: sqrt(0.91) leaves 4.6 % of the liquidity's value behind.
  assert.equal(tenPercent, 46_060_798_583n);
});

test("the fee is taken on the side that the pool names", () => {
  const onInput = amountOut(sell(stateOf(even), "token0", 1_000_000n));
  assert.equal(amountOut(sell(stateOf({ ...even, feeOn: 1 }), "token0", 1_000_000n)), onInput);
  const onOutput = sell(stateOf({ ...even, feeOn: 2 }), "token0", 1_000_000n);
  if (onOutput.kind !== "filled") throw new Error(onOutput.reason);
  // A million units move the price by a millionth, which costs one unit.
  assert.equal(onOutput.grossOut + onOutput.tradeFee, 999_999n);
  assert.equal(onOutput.tradeFee, 2500n);
});

test("limit orders at a tick are filled at the tick's price, part-filled ones first", () => {
  const state = stateOf({
    ...even,
    tradeFeePpm: 0,
    orders: [{ tick: 0, fresh: 1_000n, partFilled: 500n }],
  });
  const part = sell(state, "token0", 400n);
  if (part.kind !== "filled") throw new Error(part.reason);
  assert.equal(part.amountOut, 400n);
  assert.equal(part.after.sqrtPriceX64, state.sqrtPriceX64);
  assert.deepEqual(
    part.after.ticks.find(({ tick }) => tick === 0),
    {
      tick: 0,
      liquidityNet: 0n,
      liquidityGross: 0n,
      ordersAmount: 1_000n,
      partFilledOrdersRemaining: 100n,
    },
  );
  const all = sell(state, "token0", 2_000n);
  if (all.kind !== "filled") throw new Error(all.reason);
  assert.equal(all.amountOut, 1_500n + 499n);
  assert.equal(
    all.after.ticks.some(({ tick }) => tick === 0),
    false,
  );
});

test("a sale that ends among a tick's orders leaves the rest, and the tick's liquidity, to the next", () => {
  for (const [sells, tick, range] of [
    ["token0", 0, { lower: 0, upper: 1000, liquidity: LIQUIDITY }],
    ["token1", 10, { lower: -1000, upper: 10, liquidity: LIQUIDITY }],
  ] as const) {
    const state = stateOf({
      ...even,
      tradeFeePpm: 0,
      positions: [...even.positions, range],
      orders: [{ tick, fresh: 1n << 40n, partFilled: 500n }],
    });
    const whole = sell(state, sells, 1n << 42n);
    const part = sell(state, sells, 1n << 39n);
    assert.equal(whole.kind, "unfillable");
    assert.ok(part.kind === "filled");
    assert.equal(part.after.liquidity, 2n * LIQUIDITY);
    const rest = (1n << 39n) + 20_000_000_000n;
    const inOne = sell(state, sells, (1n << 39n) + rest);
    const last = sell(part.after, sells, rest);
    assert.ok(inOne.kind === "filled" && last.kind === "filled");
    assert.equal(last.after.liquidity, LIQUIDITY);
    const lost = inOne.amountOut - part.amountOut - last.amountOut;
    assert.ok(lost >= 0n && lost <= 2n, `${sells} ${lost}`);
  }
});

test("a sale worth exactly the orders at a tick, rounded down, is taken whole", () => {
  const tick = -6_930;
  const price = 1.0001 ** tick;
  assert.ok(Math.floor(11 * price) === 5 && Math.ceil(5 / price) === 10 && 12 * price > 6);
  const state = stateOf({
    ...even,
    tradeFeePpm: 0,
    sqrtPriceX64: sqrtPriceAtTick(tick),
    positions: [],
    orders: [{ tick, fresh: 5n, partFilled: 0n }],
  });
  assert.equal(amountOut(sell(state, "token0", 11n)), 5n);
  assert.equal(sell(state, "token0", 12n).kind, "unfillable");
});

test("orders that are bought at a price of a few units of its scale cost it rounded up", () => {
  // The square of the root price at this tick is 10.3 units of 2^-64.
  const tick = -420_250;
  const square = sqrtPriceAtTick(tick) ** 2n;
  assert.equal(square >> 64n, 10n);
  const state = stateOf({
    ...even,
    tradeFeePpm: 0,
    sqrtPriceX64: sqrtPriceAtTick(tick - 10),
    positions: [],
    orders: [{ tick, fresh: 1n << 61n, partFilled: 0n }],
  });
  assert.equal(amountOut(sell(state, "token1", 1n)), (1n << 64n) / 11n);
});

const DYNAMIC_FEE = {
  filterPeriod: 30n,
  decayPeriod: 600n,
  reductionFactor: 5000,
  control: 50_000,
  maxAccumulator: 400_000,
  indexReference: 0,
  volatilityReference: 0,
  accumulator: 0,
  lastUpdate: 0n,
};

test("a dynamic fee grows with every spacing that the price crosses", () => {
  const calm = stateOf(even);
  const stormy = stateOf({ ...even, dynamicFee: DYNAMIC_FEE });
  assert.equal(amountOut(sell(stormy, "token0", 100n)), amountOut(sell(calm, "token0", 100n)));
  const large = sell(stormy, "token0", 20_000_000_000n);
  if (large.kind !== "filled") throw new Error(large.reason);
  assert.ok(large.amountOut < Number(amountOut(sell(calm, "token0", 20_000_000_000n))));
  const fee = large.after.dynamicFee;
  assert.equal(fee?.lastUpdate, CLOCK.unixTimestamp);
  assert.ok(fee !== null && fee.accumulator > 300_000);
  assert.ok(raydiumClmm.feePpm(large.after, calm.token0.mint, CLOCK) > 2500);
});

test("the stated fee is what a first unit pays, past a range without liquidity too", () => {
  for (const away of [0, 10, 60, 180, 300]) {
    for (const [sells, lower] of [
      ["token0", -away - 600],
      ["token1", away],
    ] as const) {
      const positions = [{ lower, upper: lower + 600, liquidity: 1n << 80n }];
      const orders = [{ tick: lower + 300, fresh: 1n, partFilled: 0n }];
      const state = stateOf({
        ...even,
        tickSpacing: 10,
        positions,
        orders,
        dynamicFee: DYNAMIC_FEE,
      });
      const mint = state[sells].mint;
      const swap = quoteExactIn(state, { inputMint: mint, amountIn: 10n ** 12n, clock: CLOCK });
      assert.ok(swap.kind === "filled");
      const paidPpm = Number(swap.tradeFee) / 1e6;
      assert.ok(
        Math.abs(raydiumClmm.feePpm(state, mint, CLOCK) - paidPpm) <= 1,
        `${sells} ${away}`,
      );
    }
  }
});

test("a dynamic fee that never fills its accumulator ends in a refusal, not in a stall", () => {
  const state = stateOf({
    tickSpacing: 1,
    sqrtPriceX64: sqrtPriceAtTick(5),
    positions: [{ lower: -20_000, upper: 20_000, liquidity: 1n << 50n }],
    dynamicFee: {
      filterPeriod: 30n,
      decayPeriod: 600n,
      reductionFactor: 5000,
      control: 1,
      maxAccumulator: 4_000_000_000,
      indexReference: 0,
      volatilityReference: 0,
      accumulator: 0,
      lastUpdate: 0n,
    },
  });
  assert.equal(amountOut(sell(state, "token0", 1n << 49n)), "refused");
});

test("transfer fees of the epoch are taken on the way in and on the way out", () => {
  const fee = { epoch: 0n, maximum: U64_MAX, feeBps: 100 };
  const schedule = { older: fee, newer: fee };
  const plain = sell(stateOf(even), "token0", 990_000n);
  const taxed = stateOf({ ...even, transferFee0: schedule, transferFee1: schedule });
  if (plain.kind !== "filled") throw new Error(plain.reason);
  const { amountOut: gross } = plain;
  const charged = sell(taxed, "token0", 1_000_000n);
  assert.equal(amountOut(charged), gross - (gross * 100n + 9_999n) / 10_000n);
  assert.ok(charged.kind === "filled");
  assert.equal(charged.after.token0.heldInVault, (1n << 62n) + 990_000n);
  assert.equal(charged.after.token1.heldInVault, (1n << 62n) - gross);
  assert.equal(raydiumClmm.feePpm(taxed, taxed.token0.mint, CLOCK), 22_351);
});

test("a pool opens strictly after its time", () => {
  assert.equal(
    amountOut(sell(stateOf({ ...even, openTime: 1_789_999_999n }), "token0", 100n)),
    98n,
  );
  const early = stateOf({ ...even, openTime: 1_790_000_000n });
  assert.equal(amountOut(sell(early, "token0", 100n)), "not-open-yet");
  assert.equal(raydiumClmm.status(early, CLOCK), "not-open-yet");
});

test("amounts at the edges give a reason", () => {
  const state = stateOf(even);
  assert.equal(amountOut(sell(state, "token0", 0n)), "amount-zero");
  assert.equal(amountOut(sell(state, "token0", 1n)), "output-zero");
  assert.equal(amountOut(sell(state, "token0", U64_MAX + 1n)), "overflow");
  assert.equal(amountOut(sell(state, "token0", U64_MAX)), "insufficient-liquidity");
  const foreign = { inputMint: testAddress(99), amountIn: 5n, clock: CLOCK };
  assert.deepEqual(raydiumClmm.quoteExactIn(state, foreign), {
    kind: "unfillable",
    reason: "refused",
  });
});
