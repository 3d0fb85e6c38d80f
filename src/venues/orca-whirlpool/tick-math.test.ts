import assert from "node:assert/strict";
import { test } from "node:test";
import { testTickMath } from "#test/support/pools/tick-math-properties.ts";
import * as math from "./tick-math.ts";

testTickMath(math);

test("the highest price belongs to the highest tick", () => {
  assert.equal(math.tickAtSqrtPrice(math.MAX_SQRT_PRICE_X64), math.MAX_TICK);
});
