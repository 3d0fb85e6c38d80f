import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  constantProductOut,
  constantProductReachable,
  squareRootFloor,
} from "./constant-product.ts";

const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });

test("the product of the reserves never shrinks, and one unit more out would shrink it", () => {
  fc.assert(
    fc.property(u64, u64, u64, (reserveIn, reserveOut, amountIn) => {
      fc.pre(reserveIn + amountIn > 0n);
      const out = constantProductOut(reserveIn, reserveOut, amountIn);
      const before = reserveIn * reserveOut;
      assert.ok((reserveIn + amountIn) * (reserveOut - out) >= before);
      assert.ok((reserveIn + amountIn) * (reserveOut - out - 1n) < before);
    }),
  );
});

test("nothing over nothing is not a price", () => {
  assert.throws(() => constantProductOut(0n, 5n, 0n), { code: "division-by-zero" });
});

test("what is reachable leaves the price fallen by the wanted share, to the unit", () => {
  fc.assert(
    fc.property(u64, fc.integer({ min: 0, max: 10_000 }), (reserveOut, fallBps) => {
      const left = reserveOut - constantProductReachable(reserveOut, fallBps);
      const wanted = reserveOut * reserveOut * BigInt(10_000 - fallBps);
      assert.ok(left * left * 10_000n <= wanted);
      assert.ok((left + 1n) * (left + 1n) * 10_000n > wanted);
    }),
  );
  assert.equal(constantProductReachable(1000n, 10_000), 1000n);
  assert.equal(constantProductReachable(1000n, 0), 0n);
});

test("a square root is the largest integer whose square fits", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 300n) - 1n }), (value) => {
      const root = squareRootFloor(value);
      assert.ok(root * root <= value && (root + 1n) * (root + 1n) > value);
    }),
  );
});
