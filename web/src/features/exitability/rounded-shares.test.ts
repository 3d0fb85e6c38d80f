import assert from "node:assert/strict";
import { test } from "node:test";
import { roundedShares } from "./rounded-shares.ts";

test("rounded shares add up to the whole", () => {
  assert.deepEqual(roundedShares([54.6, 27.7, 17.7]), [54, 28, 18]);
  assert.deepEqual(roundedShares([33.4, 33.3, 33.3]), [34, 33, 33]);
  assert.deepEqual(roundedShares([100]), [100]);
  assert.deepEqual(roundedShares([]), []);
});
