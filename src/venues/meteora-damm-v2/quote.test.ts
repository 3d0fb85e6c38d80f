import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { U64_MAX, U128_MAX } from "#src/units/integer.ts";
import { assertReplayed } from "#test/support/pools/executions.ts";
import { readIntegerJson } from "#test/support/pools/integer-json.ts";
import { dammV2State, MINT_A, MINT_B } from "#test/support/pools/meteora-pools.ts";
import { amountOut } from "#test/support/pools/quoted-amount.ts";
import { testAddress } from "#test/support/pools/raydium-pools.ts";
import type { Clock } from "../venue.ts";
import { meteoraDammV2 } from "./adapter.ts";
import type { DammV2State } from "./decode.ts";
import { swapExactIn } from "./quote.ts";

const CLOCK = { slot: 5_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };

function sell(state: DammV2State, inputMint: Address, amountIn: bigint, clock: Clock = CLOCK) {
  return meteoraDammV2.quoteExactIn(state, { inputMint, amountIn, clock });
}

type Vector = {
  readonly name: string;
  readonly state: DammV2State;
  readonly inputMint: Address;
  readonly amountIn: bigint;
  readonly clock: Clock;
  readonly amountOut: bigint | null;
  readonly reason?: string;
};

const vectors = readIntegerJson<readonly Vector[]>(new URL("vectors/swaps.json", import.meta.url));

for (const { name, state, inputMint, amountIn, clock, ...expected } of vectors) {
  test(`pays what was executed: ${name}`, () => {
    const paid = amountOut(sell(state, inputMint, amountIn, clock));
    assert.equal(paid, expected.amountOut ?? expected.reason);
  });
}

test("every recorded execution is replayed to the base unit, refusals included", (t) =>
  assertReplayed(t, "meteora-damm-v2.jsonl.gz", { atLeast: 342 }));

test("the fee is taken from what comes out, or from B on the way in", () => {
  // 10^9 of a trillion: 999,000,999 on the curve, 1 % of them rounded up.
  assert.equal(amountOut(sell(dammV2State(), MINT_A, 1_000_000_000n)), 989_010_989n);
  assert.equal(amountOut(sell(dammV2State(), MINT_B, 1_000_000_000n)), 989_010_989n);
  const onlyB = dammV2State({ collectFeeMode: "only-b" });
  assert.equal(amountOut(sell(onlyB, MINT_A, 1_000_000_000n)), 989_010_989n);
  // 990,000,000 reach the curve.
  assert.equal(amountOut(sell(onlyB, MINT_B, 1_000_000_000n)), 989_020_869n);
});

test("the fee of B is owed in B, the fee of A in A", () => {
  const aSold = sell(dammV2State(), MINT_A, 1_000_000n);
  assert.ok(aSold.kind === "filled");
  assert.deepEqual([aSold.after.tokenA.protocolFee, aSold.after.tokenB.protocolFee], [0n, 2000n]);
  const bSold = sell(dammV2State(), MINT_B, 1_000_000n);
  assert.ok(bSold.kind === "filled");
  assert.deepEqual([bSold.after.tokenA.protocolFee, bSold.after.tokenB.protocolFee], [2000n, 0n]);
  const onlyB = sell(dammV2State({ collectFeeMode: "only-b" }), MINT_B, 1_000_000n);
  assert.ok(onlyB.kind === "filled");
  assert.equal(onlyB.after.tokenB.protocolFee, 2000n);
});

test("a fee on the input reaches the vault, and not the reserve", () => {
  const base = dammV2State();
  const state = dammV2State({
    collectFeeMode: "only-b",
    tokenA: { ...base.tokenA, vaultAmount: 1n << 61n },
    tokenB: { ...base.tokenB, vaultAmount: 1n << 61n },
  });
  const result = swapExactIn(state, { inputMint: MINT_B, amountIn: 1_000_000n, clock: CLOCK });
  assert.ok(result.kind === "filled");
  const { swap, after } = result;
  assert.deepEqual([swap.included, swap.excluded], [1_000_000n, 990_000n]);
  assert.equal(after.tokenB.vaultAmount, (1n << 61n) + 1_000_000n);
  assert.equal(after.tokenB.reserve, state.tokenB.reserve + 990_000n);
  assert.equal(after.tokenA.vaultAmount, (1n << 61n) - swap.output);
  assert.equal(after.tokenA.reserve, state.tokenA.reserve - swap.output);
});

test("a sale may end exactly at the end of the price range, and no further", () => {
  for (const [inputMint, end, further] of [
    [MINT_A, "sqrtMinPrice", 1n],
    [MINT_B, "sqrtMaxPrice", -1n],
  ] as const) {
    const reached = sell(dammV2State(), inputMint, 1_000_000_000n);
    assert.ok(reached.kind === "filled");
    const { sqrtPrice } = reached.after;
    const paid = (limit: bigint) =>
      amountOut(sell(dammV2State({ [end]: limit }), inputMint, 1_000_000_000n));
    assert.equal(paid(sqrtPrice), reached.amountOut);
    assert.equal(paid(sqrtPrice + further), "insufficient-liquidity");
  }
});

test("a compounding pool sells over its reserves and keeps its part of the fee in them", () => {
  const base = dammV2State();
  const state = dammV2State({
    collectFeeMode: "compounding",
    compoundingFeeBps: 5_000n,
    tokenA: { ...base.tokenA, reserve: 1_000_000n },
    tokenB: { ...base.tokenB, reserve: 4_000_000n },
  });
  assert.deepEqual(meteoraDammV2.spotPrice(state, MINT_A), {
    numerator: 4_000_000n,
    denominator: 1_000_000n,
  });
  const quote = sell(state, MINT_A, 1_000_000n);
  // 2,000,000 on the curve; fee 20,000: 4,000 to the protocol, half of the rest stays in the reserve.
  assert.equal(amountOut(quote), 1_980_000n);
  assert.ok(quote.kind === "filled");
  assert.equal(quote.after.tokenA.reserve, 2_000_000n);
  assert.equal(quote.after.tokenB.reserve, 2_008_000n);
  assert.equal(quote.after.sqrtPrice, 18_483_600_741_971_847_118n);
});

test("a linear schedule falls by its reduction every period, to its last", () => {
  const state = dammV2State({
    activationPoint: 1_789_999_000n,
    baseFee: {
      kind: "time-linear",
      cliffFeeNumerator: 500_000_000n,
      periods: 10n,
      periodFrequency: 100n,
      reductionFactor: 40_000_000n,
    },
  });
  const at = (seconds: bigint) =>
    meteoraDammV2.feePpm(state, MINT_A, { ...CLOCK, unixTimestamp: 1_789_999_000n + seconds });
  assert.deepEqual(
    [0n, 99n, 100n, 999n, 1_000n, 5_000n].map(at),
    [500_000, 500_000, 460_000, 140_000, 100_000, 100_000],
  );
});

test("an exponential schedule falls by its share every period; slots count if the pool is configured so", () => {
  const state = dammV2State({
    activationPoint: 4_000n,
    activationType: "slot",
    baseFee: {
      kind: "time-exponential",
      cliffFeeNumerator: 500_000_000n,
      periods: 3n,
      periodFrequency: 500n,
      reductionFactor: 5_000n,
    },
  });
  const at = (slot: bigint) => meteoraDammV2.feePpm(state, MINT_A, { ...CLOCK, slot });
  assert.deepEqual([4_000n, 4_500n, 5_000n, 9_000n].map(at), [500_000, 250_000, 125_000, 62_500]);
  assert.equal(amountOut(sell(state, MINT_A, 1_000n, { ...CLOCK, slot: 3_999n })), "not-open-yet");
});

test("a schedule that falls below zero refuses", () => {
  const state = dammV2State({
    baseFee: {
      kind: "time-linear",
      cliffFeeNumerator: 5n,
      periods: 10n,
      periodFrequency: 1n,
      reductionFactor: 1n,
    },
  });
  assert.equal(amountOut(sell(state, MINT_A, 1_000_000n)), "insufficient-liquidity");
});

test("a rate limiter charges big buys of A more, and only for its time", () => {
  const state = dammV2State({
    collectFeeMode: "only-b",
    activationPoint: 1_789_999_990n,
    baseFee: {
      kind: "rate-limiter",
      cliffFeeNumerator: 10_000_000n,
      feeIncrementBps: 100n,
      maxDuration: 10n,
      maxFeeBps: 500n,
      referenceAmount: 1_000_000n,
    },
  });
  const fee = (amountIn: bigint, clock: Clock = CLOCK) => {
    const quote = sell(state, MINT_B, amountIn, clock);
    return quote.kind === "filled" ? quote.after.tokenB.protocolFee * 5n : null;
  };
  assert.equal(fee(1_000_000n), 10_000n);
  // 1 % of the first million, 2 % of the second, 3 % of the half.
  assert.equal(fee(2_500_000n), 45_000n);
  // 1 to 5 % of five million, then 5 % of the other five.
  assert.equal(fee(10_000_000n), 150_000n + 250_000n);
  const over = { ...CLOCK, unixTimestamp: 1_790_000_001n };
  assert.equal(fee(10_000_000n, over), 100_000n);
  const sold = sell(state, MINT_A, 10_000_000n);
  assert.ok(sold.kind === "filled" && sold.after.tokenB.protocolFee < 20_100n);
});

test("the stated fee of a limited direction is that of a sale that lowers the price by 1 %", () => {
  const limited = (referenceAmount: bigint) =>
    dammV2State({
      collectFeeMode: "only-b",
      activationPoint: 1_789_999_990n,
      baseFee: {
        kind: "rate-limiter",
        cliffFeeNumerator: 10_000_000n,
        feeIncrementBps: 9_000n,
        maxDuration: 10n,
        maxFeeBps: 9_900n,
        referenceAmount,
      },
    });
  // Of a trillion, 5,012,562,893 lower the price by 1 %.
  const ppm = (referenceAmount: bigint) =>
    meteoraDammV2.feePpm(limited(referenceAmount), MINT_B, CLOCK);
  assert.equal(ppm(10_000_000_000n), 10_000);
  // 1 % of the first half, 91 % of the second: the fee and its rate are rounded up.
  assert.equal(ppm(2_506_281_447n), 460_001);
  assert.equal(ppm(1n), 990_000);
  assert.equal(meteoraDammV2.growingFee?.(limited(1n), MINT_B, CLOCK)?.(0), 10_000);
  assert.equal(meteoraDammV2.feePpm(limited(1n), MINT_A, CLOCK), 10_000);
  const over = { ...CLOCK, unixTimestamp: 1_790_000_001n };
  assert.equal(meteoraDammV2.feePpm(limited(1n), MINT_B, over), 10_000);
});

test("a market-cap schedule falls as the root price rises above the first, until it expires", () => {
  const baseFee = {
    kind: "market-cap-linear" as const,
    cliffFeeNumerator: 500_000_000n,
    periods: 10n,
    sqrtPriceStepBps: 1_000n,
    expiry: 100n,
    reductionFactor: 40_000_000n,
  };
  const state = (risenBps: bigint) =>
    dammV2State({
      activationPoint: 1_789_999_950n,
      baseFee,
      sqrtPrice: ((10_000n + risenBps) << 64n) / 10_000n + 1n,
    });
  const at = (risenBps: bigint) => meteoraDammV2.feePpm(state(risenBps), MINT_A, CLOCK);
  assert.deepEqual(
    [0n, 999n, 1_000n, 2_500n, 20_000n].map(at),
    [500_000, 500_000, 460_000, 420_000, 100_000],
  );
  const expired = { ...CLOCK, unixTimestamp: 1_790_000_051n };
  assert.equal(meteoraDammV2.feePpm(state(0n), MINT_A, expired), 100_000);
});

const dynamicFee = {
  maxVolatilityAccumulator: 500_000n,
  variableFeeControl: 100_000n,
  binStep: 1n,
  filterPeriod: 10n,
  decayPeriod: 120n,
  reductionFactor: 5_000n,
  binStepQ64: 1_844_674_407_370_955n,
  lastUpdateTimestamp: 1_789_999_950n,
  sqrtPriceReference: 1n << 64n,
  volatilityAccumulator: 100_000n,
  volatilityReference: 0n,
};

test("the dynamic fee is that of the stored accumulator; the swap moves it for the next", () => {
  const state = dammV2State({ dynamicFee });
  // (100,000 * 1)^2 * 100,000 / 10^11 = 10,000 over 10^9: ten ppm on top of the base fee's one percent.
  assert.equal(meteoraDammV2.feePpm(state, MINT_A, CLOCK), 10_010);
  const quote = sell(state, MINT_A, 10_000_000_000n);
  assert.ok(quote.kind === "filled");
  const after = quote.after.dynamicFee;
  // 50 s are between filter and decay: half of the accumulator stays as the reference.
  assert.equal(after?.volatilityReference, 50_000n);
  assert.equal(after?.sqrtPriceReference, 1n << 64n);
  // The root price fell by one percent: a hundred steps, counted twice, 10,000 each, and the cap.
  assert.equal(after?.volatilityAccumulator, 500_000n);
  assert.equal(after?.lastUpdateTimestamp, CLOCK.unixTimestamp);
});

test("a swap within one bin leaves the time of the last move", () => {
  const quote = sell(dammV2State({ dynamicFee }), MINT_A, 1_000n);
  assert.ok(quote.kind === "filled");
  assert.equal(quote.after.dynamicFee?.lastUpdateTimestamp, 1_789_999_950n);
  assert.equal(quote.after.dynamicFee?.volatilityAccumulator, 50_000n);
});

test("a dynamic fee without a bin step refuses, as the program divides by it", () => {
  const state = dammV2State({ dynamicFee: { ...dynamicFee, binStepQ64: 0n } });
  assert.equal(amountOut(sell(state, MINT_A, 1_000n)), "refused");
});

test("fees are capped at half before, at 99 % since fee version 1", () => {
  const steep = { ...dammV2State().baseFee, cliffFeeNumerator: 999_999_999n };
  const of = (maxFeeNumerator: bigint) =>
    meteoraDammV2.feePpm(dammV2State({ baseFee: steep, maxFeeNumerator }), MINT_A, CLOCK);
  assert.equal(of(500_000_000n), 500_000);
  assert.equal(of(990_000_000n), 990_000);
});

test("a sale past the end of the price range is refused whole", () => {
  const narrow = dammV2State({ sqrtMinPrice: (1n << 64n) - (1n << 50n) });
  assert.equal(amountOut(sell(narrow, MINT_A, 60_000_000n)), 59_396_436n);
  assert.equal(amountOut(sell(narrow, MINT_A, 70_000_000n)), "insufficient-liquidity");
  const empty = dammV2State({ sqrtMinPrice: 1n << 64n });
  assert.equal(amountOut(sell(empty, MINT_A, 1n)), "insufficient-liquidity");
  assert.equal(meteoraDammV2.spotPrice(empty, MINT_A), null);
  assert.equal(meteoraDammV2.reachable(empty, MINT_A, 10_000), 0n);
});

test("an output of nothing is filled: the program does not mind", () => {
  assert.equal(amountOut(sell(dammV2State(), MINT_A, 1n)), 0n);
});

test("transfer fees of the epoch are taken on the way in and on the way out", () => {
  const fee = { epoch: 0n, maximum: U64_MAX, feeBps: 100 };
  const state = dammV2State();
  const taxed: DammV2State = {
    ...state,
    tokenA: { ...state.tokenA, transferFee: { older: fee, newer: fee } },
    tokenB: { ...state.tokenB, transferFee: { older: fee, newer: fee } },
  };
  // 990,000 arrive, 989,999 are swapped, 9,900 are the pool's fee, 9,801 are withheld.
  assert.equal(amountOut(sell(taxed, MINT_A, 1_000_000n)), 970_298n);
  const all = { ...fee, feeBps: 10_000 };
  const closed = { ...state, tokenA: { ...state.tokenA, transferFee: { older: all, newer: all } } };
  assert.equal(amountOut(sell(closed, MINT_A, 1_000_000n)), "amount-zero");
});

test("balances that leave u64 refuse", () => {
  const state = dammV2State();
  const full = { ...state, tokenA: { ...state.tokenA, vaultAmount: U64_MAX - 5n } };
  assert.equal(amountOut(sell(full, MINT_A, 6n)), "overflow");
  assert.equal(amountOut(sell(full, MINT_A, 5n)), 3n);
  const uncounted = { ...state, tokenB: { ...state.tokenB, reserve: 2n } };
  assert.equal(amountOut(sell(uncounted, MINT_A, 5n)), "insufficient-liquidity");
  const unread = { ...state, tokenB: { ...state.tokenB, vaultAmount: null } };
  assert.equal(amountOut(sell(unread, MINT_A, 5n)), 3n);
  const lent = { ...state, tokenB: { ...state.tokenB, vaultAmount: 2n } };
  assert.equal(amountOut(sell(lent, MINT_A, 5n)), "insufficient-liquidity");
  assert.equal(amountOut(sell(state, MINT_A, U64_MAX + 1n)), "overflow");
  const steep = dammV2State({ sqrtPrice: U128_MAX, sqrtMaxPrice: U128_MAX });
  assert.equal(amountOut(sell(steep, MINT_B, 1_000_000n)), "overflow");
});

test("a pool that is disabled, without liquidity or of other mints refuses", () => {
  assert.equal(amountOut(sell(dammV2State({ isEnabled: false }), MINT_A, 5n)), "paused");
  assert.equal(amountOut(sell(dammV2State({ liquidity: 0n }), MINT_A, 5n)), "refused");
  assert.equal(amountOut(sell(dammV2State(), testAddress(99), 5n)), "refused");
  assert.equal(amountOut(sell(dammV2State(), MINT_A, 0n)), "amount-zero");
});
