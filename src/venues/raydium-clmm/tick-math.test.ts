import assert from "node:assert/strict";
import { test } from "node:test";
import { MathError } from "#src/units/math-error.ts";
import { testTickMath } from "#test/support/pools/tick-math-properties.ts";
import * as math from "./tick-math.ts";

testTickMath(math);

test("the highest price is refused: it belongs to no tick", () => {
  assert.throws(() => math.tickAtSqrtPrice(math.MAX_SQRT_PRICE_X64), MathError);
});
