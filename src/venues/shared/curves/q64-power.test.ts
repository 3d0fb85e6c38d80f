import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Q64 } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { powQ64 } from "./q64-power.ts";

test("a power is close to the real one on both sides of one, for both signs of the exponent", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.95, max: 1.05, noNaN: true }),
      fc.integer({ min: -300, max: 300 }),
      (base, exponent) => {
        const power = powQ64(BigInt(Math.round(base * 2 ** 40)) << 24n, exponent);
        assert.ok(Math.abs(ratioToNumber(power, Q64) / base ** exponent - 1) < 1e-6);
      },
    ),
  );
});

test("the zeroth power is one, even of zero", () => {
  assert.equal(powQ64(0n, 0), Q64);
  assert.equal(powQ64(5n * Q64, 0), Q64);
});

test("a power that rounds to zero, or an exponent of twenty bits, fails", () => {
  assert.throws(() => powQ64(0n, 1), MathError);
  assert.throws(() => powQ64(Q64 / 2n, 200), MathError);
  assert.throws(() => powQ64(Q64, 1 << 19), MathError);
});
