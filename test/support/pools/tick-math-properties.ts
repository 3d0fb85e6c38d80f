import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MathError } from "#src/units/math-error.ts";

export type TickMath = {
  readonly MIN_TICK: number;
  readonly MAX_TICK: number;
  readonly MIN_SQRT_PRICE_X64: bigint;
  readonly MAX_SQRT_PRICE_X64: bigint;
  readonly sqrtPriceAtTick: (tick: number) => bigint;
  readonly tickAtSqrtPrice: (sqrtPriceX64: bigint) => number;
};

/** Tests what the tick maths of every concentrated program guarantees, the very end of the range apart. */
export function testTickMath(math: TickMath): void {
  const { MIN_TICK, MAX_TICK, MIN_SQRT_PRICE_X64, MAX_SQRT_PRICE_X64 } = math;
  const { sqrtPriceAtTick, tickAtSqrtPrice } = math;
  const tick = fc.integer({ min: MIN_TICK, max: MAX_TICK - 1 });

  test("the ends of the tick range have the program's prices", () => {
    assert.equal(sqrtPriceAtTick(MIN_TICK), MIN_SQRT_PRICE_X64);
    assert.equal(sqrtPriceAtTick(MAX_TICK), MAX_SQRT_PRICE_X64);
    assert.equal(sqrtPriceAtTick(0), 1n << 64n);
  });

  test("ticks and prices beyond the range are refused", () => {
    assert.throws(() => sqrtPriceAtTick(MAX_TICK + 1), MathError);
    assert.throws(() => sqrtPriceAtTick(MIN_TICK - 1), MathError);
    assert.throws(() => tickAtSqrtPrice(MAX_SQRT_PRICE_X64 + 1n), MathError);
    assert.throws(() => tickAtSqrtPrice(MIN_SQRT_PRICE_X64 - 1n), MathError);
  });

  test("a tick's price lies above every lower tick's", () => {
    fc.assert(fc.property(tick, (at) => assert.ok(sqrtPriceAtTick(at) < sqrtPriceAtTick(at + 1))));
  });

  test("the tick of a price is the largest whose price is at most that price", () => {
    fc.assert(
      fc.property(tick, fc.bigInt({ min: 0n, max: 1_000_000n }), (at, within) => {
        const low = sqrtPriceAtTick(at);
        const high = sqrtPriceAtTick(at + 1);
        assert.equal(tickAtSqrtPrice(low), at);
        assert.equal(tickAtSqrtPrice(high - 1n), at);
        assert.equal(tickAtSqrtPrice(low + ((high - low - 1n) * within) / 1_000_000n), at);
      }),
    );
  });
}
