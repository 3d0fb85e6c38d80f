import assert from "node:assert/strict";
import { test } from "node:test";
import { protocolFee } from "./fees.ts";

test("the protocol gets its share of the market makers' fee, and half of the orders' fee rounded up", () => {
  const part = (fee: bigint, makerIn: bigint, totalIn = 1_000n) =>
    protocolFee(fee, 1_000, { makerIn, totalIn });
  assert.equal(part(999n, 1_000n), 99n, "a tenth, rounded down");
  assert.equal(part(999n, 0n), 500n, "the owners of the orders get 499");
  // 999 * 0.333 = 332.7: the makers' fee is 333, its tenth 33; the orders' fee is 666, its half 333.
  assert.equal(part(999n, 333n), 366n);
  assert.equal(part(0n, 333n), 0n);
  assert.equal(part(999n, 0n, 0n), 0n);
});
