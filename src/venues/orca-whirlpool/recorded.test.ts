import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sharedPath } from "#test/support/pools/executions.ts";
import { computeStep } from "./swap-step.ts";
import { MAX_SQRT_PRICE_X64, MIN_SQRT_PRICE_X64 } from "./tick-math.ts";

const FEE_DENOMINATOR = 1_000_000n;
const LARGEST_FEE_PPM = 100_000n;

type Traded = {
  readonly venue: string;
  readonly matches: boolean;
  readonly note?: string;
  readonly event: {
    readonly aToB: boolean;
    readonly pre: string;
    readonly post: string;
    readonly input: string;
    readonly output: string;
    readonly inputTransferFee: string;
    readonly lpFee: string;
    readonly protocolFee: string;
  };
};

/**
 * Whether a swap inside one tick interval explains an event: some liquidity and the rate that follows from its
 * fee lead from its price before to the one after, its output and its fee.
 */
function isExplained({ event }: Traded): boolean {
  const { aToB } = event;
  const before = BigInt(event.pre);
  const after = BigInt(event.post);
  const output = BigInt(event.output);
  const remaining = BigInt(event.input) - BigInt(event.inputTransferFee);
  const fee = BigInt(event.lpFee) + BigInt(event.protocolFee);
  const around = (fee * FEE_DENOMINATOR) / remaining;
  for (let feePpm = around - 2n; feePpm <= around + 2n; feePpm++) {
    if (feePpm < 0n || feePpm > LARGEST_FEE_PPM) continue;
    const step = (liquidity: bigint) =>
      computeStep({
        sqrtPriceX64: before,
        targetX64: aToB ? MIN_SQRT_PRICE_X64 : MAX_SQRT_PRICE_X64,
        liquidity,
        remaining,
        feePpm,
        aToB,
      });
    // The more liquidity, the less the price moves.
    const isPast = (price: bigint) => (aToB ? price < after : price > after);
    let low = 1n;
    let high = 1n << 100n;
    while (low < high) {
      const middle = (low + high) >> 1n;
      if (isPast(step(middle).sqrtPriceX64)) low = middle + 1n;
      else high = middle;
    }
    let last = low;
    let beyond = 1n << 100n;
    while (last + 1n < beyond) {
      const middle = (last + beyond) >> 1n;
      if (step(middle).sqrtPriceX64 === after) last = middle;
      else beyond = middle;
    }
    for (const liquidity of [low, (low + last) >> 1n, last]) {
      const found = step(liquidity);
      if (found.sqrtPriceX64 === after && found.amountOut === output && found.fee === fee) {
        return true;
      }
    }
  }
  return false;
}

test("mainnet's Traded events agree with one step, but for those that cross ticks", (t) => {
  const path = sharedPath(t, "mainnet-events", "orca.jsonl");
  if (path === null) return;
  const events = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line): Traded => JSON.parse(line));
  assert.ok(events.length >= 10);
  const unexplained = events.filter((event) => !isExplained(event));
  assert.ok(unexplained.every(({ matches, note }) => !matches && note !== undefined));
  assert.ok(unexplained.length <= 1);
});
