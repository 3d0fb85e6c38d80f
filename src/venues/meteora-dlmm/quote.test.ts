import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CLOCK,
  type DlmmPool,
  dlmmAccounts,
  MINT_X,
  MINT_Y,
  PAIR,
} from "#test/support/pools/dlmm-pool.ts";
import type { Clock } from "../venue.ts";
import { meteoraDlmm } from "./adapter.ts";
import { swapExactIn } from "./quote.ts";
import type { DlmmState } from "./state.ts";

const NO_VARIABLE_FEE = { variableFeeControl: 0 };

function stateOf(pool: DlmmPool): DlmmState {
  const found = meteoraDlmm.decode(PAIR, dlmmAccounts(pool));
  assert.ok(found.kind === "pool");
  return found.state;
}

function sell(state: DlmmState, amountIn: bigint, clock: Clock = CLOCK) {
  return meteoraDlmm.quoteExactIn(state, { inputMint: MINT_X, amountIn, clock });
}

function paid(state: DlmmState, amountIn: bigint, clock: Clock = CLOCK) {
  const quote = sell(state, amountIn, clock);
  return quote.kind === "filled" ? quote.amountOut : quote.reason;
}

test("a bin at price one pays the input less the fee, rounded up", () => {
  const state = stateOf({ parameters: NO_VARIABLE_FEE, bins: [{ id: 0, y: 1_000_000n }] });
  assert.equal(paid(state, 10_000n), 9_900n);
  assert.equal(paid(state, 10_001n), 9_900n);
});

test("fees only in Y are taken from what a sale of X pays and from what a sale of Y hands in", () => {
  const parameters = { ...NO_VARIABLE_FEE, collectsOnlyY: true };
  const state = stateOf({ parameters, bins: [{ id: 0, x: 1_000_000n, y: 1_000_000n }] });
  const sold = sell(state, 10_000n);
  assert.ok(sold.kind === "filled");
  assert.equal(sold.amountOut, 9_900n);
  assert.equal(sold.after.bins[0]?.amountX, 1_010_000n);
  const bought = meteoraDlmm.quoteExactIn(state, {
    inputMint: MINT_Y,
    amountIn: 10_000n,
    clock: CLOCK,
  });
  assert.ok(bought.kind === "filled");
  assert.equal(bought.after.bins[0]?.amountY, 1_009_900n);
});

test("a pair without a bin that pays states the fee of its active bin, and not none", () => {
  const onlyAsks = stateOf({ parameters: NO_VARIABLE_FEE, bins: [{ id: 3, x: 1_000_000n }] });
  assert.equal(paid(onlyAsks, 10_000n), "insufficient-liquidity");
  assert.equal(meteoraDlmm.feePpm(onlyAsks, MINT_X, CLOCK), 10_000);
  assert.equal(meteoraDlmm.feePpm(onlyAsks, MINT_Y, CLOCK), 10_000);
});

test("empty bins and arrays in between are jumped and cost nothing", () => {
  const near = stateOf({ parameters: NO_VARIABLE_FEE, bins: [{ id: -400, y: 10n ** 9n }] });
  const quote = sell(near, 10_000n);
  assert.ok(quote.kind === "filled");
  assert.equal(quote.after.activeId, -400);
  assert.equal(quote.after.volatility.accumulator, 150_000);
});

test("bins above the active one pay no Y", () => {
  const state = stateOf({ bins: [{ id: 1, y: 10n ** 9n }] });
  assert.equal(paid(state, 1_000n), "insufficient-liquidity");
});

test("each bin farther from the reference raises the fee", () => {
  const one = stateOf({ bins: [{ id: 0, y: 10n ** 6n }] });
  const far = stateOf({ bins: [{ id: 0, y: 10n ** 6n }], volatility: { indexReference: 9 } });
  const soon = { ...CLOCK, unixTimestamp: 10n };
  assert.ok(Number(paid(far, 10_000n, soon)) < Number(paid(one, 10_000n, soon)));
});

test("within the filter period the reference stays, later it decays, then it is forgotten", () => {
  const volatility = { accumulator: 40_000, reference: 20_000, indexReference: 3 };
  const state = stateOf({ bins: [{ id: 0, y: 10n ** 6n }], volatility });
  const after = (unixTimestamp: bigint) => {
    const quote = sell(state, 10_000n, { ...CLOCK, unixTimestamp });
    assert.ok(quote.kind === "filled");
    return quote.after.volatility;
  };
  assert.equal(after(29n).reference, 20_000);
  assert.equal(after(29n).indexReference, 3);
  assert.equal(after(30n).reference, 20_000);
  assert.equal(after(30n).indexReference, 0);
  assert.equal(after(600n).reference, 0);
});

test("a swap that stays in its bin leaves the time of the last update alone", () => {
  const bins = [
    { id: 0, y: 1_000n },
    { id: -1, y: 1_000_000n },
  ];
  const state = stateOf({ bins });
  const stays = sell(state, 500n);
  const moves = sell(state, 5_000n);
  assert.ok(stays.kind === "filled" && moves.kind === "filled");
  assert.equal(stays.after.volatility.lastUpdateTimestamp, 0n);
  assert.equal(moves.after.volatility.lastUpdateTimestamp, CLOCK.unixTimestamp);
});

test("bid orders pay after market makers, the batch in work before newer ones", () => {
  const orders = { isAskSide: false, processedRemaining: 100n, open: 100n };
  const state = stateOf({ parameters: NO_VARIABLE_FEE, bins: [{ id: 0, y: 100n, orders }] });
  const quote = sell(state, 253n);
  assert.ok(quote.kind === "filled");
  assert.equal(quote.amountOut, 250n);
  const [bin] = quote.after.bins;
  assert.deepEqual(bin?.orders, { isAskSide: false, processedRemaining: 0n, open: 50n });
  assert.equal(bin?.amountX, 100n);
});

test("ask orders do not pay a seller of X, and no order counts on a pair that pays rewards", () => {
  const orders = { isAskSide: true, processedRemaining: 0n, open: 10n ** 6n };
  assert.equal(paid(stateOf({ bins: [{ id: 0, orders }] }), 100n), "insufficient-liquidity");
  const bids = { isAskSide: false, processedRemaining: 0n, open: 10n ** 6n };
  const rewarded = stateOf({
    parameters: { hasLimitOrders: false },
    bins: [{ id: 0, orders: bids }],
  });
  assert.equal(paid(rewarded, 100n), "insufficient-liquidity");
});

test("an order that pays nothing is refused, as is nothing, and more than the bins hold", () => {
  const state = stateOf({ bins: [{ id: 0, y: 1_000n }] });
  assert.equal(paid(state, 0n), "amount-zero");
  assert.equal(paid(state, 1n), "output-zero");
  assert.equal(paid(state, 2_000n), "insufficient-liquidity");
  assert.equal(paid(state, 1n << 64n), "overflow");
});

test("leftover order bytes beyond the reserve can't be paid, and add no depth", () => {
  const orders = { isAskSide: false, processedRemaining: 0n, open: 10n ** 12n };
  const state = stateOf({ bins: [{ id: 0, y: 1_000n, orders }], reserveY: 1_500n });
  assert.equal(paid(state, 1_200n), 1_188n);
  assert.equal(paid(state, 10_000n), "insufficient-liquidity");
  assert.equal(meteoraDlmm.reachable(state, MINT_X, 10_000), 1_500n);
});

test("a mint that charges transfers takes its fee before the pool sees the amount", () => {
  const fee = { epoch: 900n, maximum: 10n ** 9n, feeBps: 1_000 };
  const schedule = { older: { ...fee, feeBps: 0 }, newer: fee };
  const state = stateOf({
    parameters: NO_VARIABLE_FEE,
    bins: [{ id: 0, x: 10n ** 6n, y: 10n ** 6n }],
    transferFeeX: schedule,
  });
  assert.equal(paid(state, 10_000n), 8_910n);
  assert.equal(paid(state, 10_000n, { ...CLOCK, epoch: 899n }), 9_900n);
  const bought = meteoraDlmm.quoteExactIn(state, {
    inputMint: MINT_Y,
    amountIn: 10_000n,
    clock: CLOCK,
  });
  assert.ok(bought.kind === "filled");
  assert.equal(bought.amountOut, 8_910n);
});

test("both reserves after a swap hold what came in and lack what was paid", () => {
  const state = stateOf({ bins: [{ id: 0, x: 1_000_000n, y: 1_000_000n }] });
  const { reserveX, reserveY } = state;
  assert.ok(reserveX !== null && reserveY !== null);
  for (const inputMint of [MINT_X, MINT_Y]) {
    const swap = swapExactIn(state, { inputMint, amountIn: 10_000n, clock: CLOCK });
    assert.ok(swap.kind === "filled");
    const { after, grossOut } = swap.swap;
    const [x, y] = inputMint === MINT_X ? [10_000n, -grossOut] : [-grossOut, 10_000n];
    assert.deepEqual([after.reserveX, after.reserveY], [reserveX + x, reserveY + y]);
  }
});

test("the protocol's part of a fee is owed in the token that pays it", () => {
  const bins = [{ id: 0, x: 1_000_000n, y: 1_000_000n }];
  const owed = (collectsOnlyY: boolean, inputMint: typeof MINT_X) => {
    const state = stateOf({ parameters: { ...NO_VARIABLE_FEE, collectsOnlyY }, bins });
    const swap = swapExactIn(state, { inputMint, amountIn: 100_000n, clock: CLOCK });
    assert.ok(swap.kind === "filled" && swap.swap.protocolFee > 0n);
    const { after, protocolFee } = swap.swap;
    return [after.protocolFeeX / protocolFee, after.protocolFeeY / protocolFee];
  };
  assert.deepEqual(owed(false, MINT_X), [1n, 0n]);
  assert.deepEqual(owed(false, MINT_Y), [0n, 1n]);
  assert.deepEqual(owed(true, MINT_X), [0n, 1n]);
  assert.deepEqual(owed(true, MINT_Y), [0n, 1n]);
});

test("a purchase's depth counts the bins whose price is within the fall above the first", () => {
  // 1.01^9 = 1.094 and 1.01^11 = 1.116: what Y buys is 8.6 % and 10.4 % less.
  const asks = [5, 14, 16].map((id) => ({ id, x: 10n }));
  const state = stateOf({ bins: asks });
  assert.equal(meteoraDlmm.reachable(state, MINT_Y, 1_000), 20n);
  assert.equal(meteoraDlmm.reachable(state, MINT_Y, 10_000), 30n);
});

test("spot is the first bin that pays, and depth counts the bins within the fall", () => {
  const state = stateOf({
    bins: [
      { id: -2, y: 10n },
      { id: -3, y: 20n },
      { id: -13, y: 40n },
      { id: 5, x: 7n },
    ],
  });
  assert.deepEqual(meteoraDlmm.spotPrice(state, MINT_X)?.numerator, state.bins[2]?.price);
  assert.equal(meteoraDlmm.reachable(state, MINT_X, 10_000), 70n);
  assert.equal(meteoraDlmm.reachable(state, MINT_X, 1_000), 30n);
  assert.equal(meteoraDlmm.reachable(state, MINT_Y, 10_000), 7n);
  assert.equal(meteoraDlmm.spotPrice(stateOf({ bins: [{ id: 3, y: 1n }] }), MINT_X), null);
});

test("a mint that the pair does not trade is refused", () => {
  const state = stateOf({ bins: [{ id: 0, y: 1_000n }] });
  const quote = meteoraDlmm.quoteExactIn(state, { inputMint: PAIR, amountIn: 5n, clock: CLOCK });
  assert.deepEqual(quote, { kind: "unfillable", reason: "refused" });
});
