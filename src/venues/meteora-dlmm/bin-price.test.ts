import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Q64 } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { binArrayIndex, binPrice, highestBinId, lowestBinId } from "./bin-price.ts";

const binSteps = fc.integer({ min: 1, max: 400 });

test("the price of bin 0 is one, and each bin's is close to (1 + step)^id", () => {
  assert.equal(binPrice(0, 25), Q64);
  fc.assert(
    fc.property(binSteps, fc.integer({ min: -600, max: 600 }), (binStep, id) => {
      const expected = (1 + binStep / 10_000) ** id;
      assert.ok(Math.abs(ratioToNumber(binPrice(id, binStep), Q64) / expected - 1) < 1e-6);
    }),
  );
});

test("prices rise with the id", () => {
  fc.assert(
    fc.property(binSteps, fc.integer({ min: -800, max: 800 }), (binStep, id) => {
      assert.ok(binPrice(id, binStep) < binPrice(id + 1, binStep));
    }),
  );
});

test("an id whose price leaves the program's width fails instead of rounding to zero", () => {
  assert.throws(() => binPrice(-20_000, 400), MathError);
  assert.throws(() => binPrice(600_000, 1), MathError);
});

test("every bin lies in the array of its index, negative ids too", () => {
  fc.assert(
    fc.property(fc.integer({ min: -443_636, max: 443_636 }), (id) => {
      const index = binArrayIndex(id);
      assert.ok(lowestBinId(index) <= id && id <= highestBinId(index));
    }),
  );
  assert.equal(binArrayIndex(-1), -1);
  assert.equal(binArrayIndex(-70), -1);
  assert.equal(binArrayIndex(-71), -2);
});
