import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { EXACT_LIMIT, mulDivCeilExact, mulDivFloorExact, QUOTIENT_LIMIT } from "./exact-doubles.ts";

const factor = fc.oneof(
  fc.integer({ min: 0, max: EXACT_LIMIT - 1 }),
  fc.integer({ min: EXACT_LIMIT - 1000, max: EXACT_LIMIT - 1 }),
  fc.integer({ min: 0, max: 1000 }),
  fc.integer({ min: 0, max: 52 }).map((power) => 2 ** power),
);
const divisor = fc.oneof(
  fc.integer({ min: 1, max: QUOTIENT_LIMIT - 1 }),
  fc.integer({ min: QUOTIENT_LIMIT - 1000, max: QUOTIENT_LIMIT - 1 }),
  fc.constantFrom(1, 3, 10_000, 1_000_000),
);

function check(a: number, b: number, d: number): void {
  const product = BigInt(a) * BigInt(b);
  const floor = product / BigInt(d);
  const ceil = (product + BigInt(d) - 1n) / BigInt(d);
  const [ownFloor, ownCeil] = [mulDivFloorExact(a, b, d), mulDivCeilExact(a, b, d)];
  if (!Number.isNaN(ownFloor)) assert.equal(BigInt(ownFloor), floor, `${a} * ${b} / ${d}`);
  if (!Number.isNaN(ownCeil)) assert.equal(BigInt(ownCeil), ceil, `${a} * ${b} / ${d} up`);
  if (floor < QUOTIENT_LIMIT - 1) assert.ok(!Number.isNaN(ownFloor) && !Number.isNaN(ownCeil));
}

test("any product and divisor give exactly what integers give, or NaN beyond the limit", () => {
  fc.assert(fc.property(factor, factor, divisor, check), { numRuns: 4000 });
});

test("quotients that lie on an integer, or one unit beside it, are not rounded over it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2 ** 26 }),
      fc.integer({ min: 1, max: QUOTIENT_LIMIT - 1 }),
      fc.integer({ min: 1, max: 2 ** 25 }),
      fc.integer({ min: -1, max: 1 }),
      (quotient, divided, scale, beside) => {
        // a * b is quotient * divided, give or take one multiple of `scale`.
        const a = quotient * scale + beside;
        if (a < EXACT_LIMIT && a >= 0) check(a, Math.floor(divided / scale) + 1, divided);
        check(quotient, divided, divided);
      },
    ),
    { numRuns: 4000 },
  );
});
