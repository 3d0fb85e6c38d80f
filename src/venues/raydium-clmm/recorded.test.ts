import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { divCeil, Q64 } from "#src/units/integer.ts";
import { sharedPath } from "#test/support/pools/executions.ts";
import { computeStep, feeOnTop } from "./swap-step.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64 } from "./tick-math.ts";

/** Rates of the configurations that mainnet's swaps were seen under. */
const RATES = [100n, 400n, 500n, 1_000n, 2_500n, 10_000n];

type SwapEvent = {
  readonly venue: string;
  readonly zeroForOne: boolean;
  readonly amount0: string;
  readonly amount1: string;
  readonly sqrtPrice: string;
  readonly liquidity: string;
  readonly note?: string;
};

/**
 * Whether a swap inside one stretch explains an event: some price before it and some known rate lead
 * to its price after it and to its output. The event contains everything else.
 */
function isExplained(event: SwapEvent): boolean {
  const { zeroForOne } = event;
  const after = BigInt(event.sqrtPrice);
  const [input, output] = zeroForOne
    ? [BigInt(event.amount0), BigInt(event.amount1)]
    : [BigInt(event.amount1), BigInt(event.amount0)];
  return RATES.some((feePpm) => {
    const step = (before: bigint) =>
      computeStep({
        sqrtPriceX64: before,
        targetX64: zeroForOne ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64,
        liquidity: BigInt(event.liquidity),
        remaining: input,
        feePpm,
        zeroForOne,
        isFeeOnInput: true,
      });
    // A higher price before leads to a higher one after: the lowest that leads there, and its neighbours.
    const furthest = ((zeroForOne ? output + 1n : input) << 64n) / BigInt(event.liquidity) + 1n;
    let low = zeroForOne ? after : after - furthest;
    let high = zeroForOne ? after + furthest : after;
    while (low < high) {
      const middle = (low + high) >> 1n;
      if (step(middle).sqrtPriceX64 < after) low = middle + 1n;
      else high = middle;
    }
    for (let before = low; step(before).sqrtPriceX64 === after; before++) {
      if (step(before).amountOut === output) return true;
      if (before > low + 1_000n) break;
    }
    return false;
  });
}

/** The same of an order for an exact output, which the program prices from the other side. */
function isExplainedByOutput(event: SwapEvent): boolean {
  const { zeroForOne } = event;
  const liquidity = BigInt(event.liquidity);
  const after = BigInt(event.sqrtPrice);
  const [input, output] = zeroForOne
    ? [BigInt(event.amount0), BigInt(event.amount1)]
    : [BigInt(event.amount1), BigInt(event.amount0)];
  if (!zeroForOne) return false;
  const before = after + divCeil(output * Q64, liquidity);
  const net = divCeil((liquidity * (before - after)) << 64n, before * after);
  return RATES.some((feePpm) => net + feeOnTop(net, feePpm) === input);
}

test("mainnet's swap events agree with one step, but for those that cross ticks", (t) => {
  const path = sharedPath(t, "mainnet-events", "raydium.jsonl");
  if (path === null) return;
  const events = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): SwapEvent => JSON.parse(line))
    .filter(({ venue }) => venue === "raydium-clmm");
  assert.ok(events.length >= 11);
  const unexplained = events.filter((event) => !isExplained(event) && !isExplainedByOutput(event));
  assert.deepEqual(
    unexplained.map(({ note }) => note !== undefined),
    unexplained.map(() => true),
  );
  assert.ok(unexplained.length <= 1);
});
