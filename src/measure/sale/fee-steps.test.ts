import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { endOfFeeStep } from "./fee-steps.ts";

test("a fee step ends at the largest amount before a whole unit of the fee is begun", () => {
  const random = seededRandom(7);
  const feeOf = (amount: number, feePpm: number) => Math.ceil((amount * feePpm) / 1_000_000);
  for (let round = 0; round < 2_000; round++) {
    const feePpm = 1 + Math.floor(random() * 60_000);
    const amount = Math.floor(random() * 1_000_000);
    const end = endOfFeeStep(amount, feePpm);
    assert.ok(end <= amount);
    assert.equal(feeOf(end + 1, feePpm), feeOf(end, feePpm) + 1, `${feePpm} at ${amount}`);
    const next = feeOf(amount + 1, feePpm) - feeOf(end + 1, feePpm);
    assert.equal(next, 0, `another step ends between ${end} and ${amount}`);
  }
});
