import assert from "node:assert/strict";
import { test } from "node:test";
import { percentOf } from "./to-number.ts";

test("a share of few decimals is the double nearest to it", () => {
  assert.equal(percentOf(37_360_000_000_000n, 1_000_000_000_000_000n), 3.736);
  for (let tenths = 0n; tenths <= 1_000n; tenths++)
    assert.equal(percentOf(tenths * 10n ** 12n, 10n ** 15n), Number(tenths) / 10);
});

test("a share of integers beyond the range of a double is a number", () => {
  assert.equal(percentOf(10n ** 400n, 4n * 10n ** 400n), 25);
});
