import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import { withLowestCeilings } from "./lowest-ceilings.ts";

test("no ceiling is below a concave curve, wherever rounding lowered its samples within the limit", () => {
  const random = seededRandom(11);
  for (let set = 0; set < 500; set++) {
    const reserve = between(random, 1e3, 1e9);
    const rounding = between(random, 1, 1e3);
    const curve = (amount: number) => (1e3 * amount * reserve) / (reserve + amount);
    const whole = between(random, 1e3, 1e6);
    const drawn = Array.from({ length: 2 + Math.floor(40 * random()) }, () =>
      Math.floor(random() < 0.5 ? whole * random() : whole / 2 + 200 * random()),
    );
    const amounts = [...new Set([0, ...drawn])].sort((a, b) => a - b);
    const payments = amounts.map((amount) =>
      amount === 0 ? 0 : curve(amount) - rounding * random(),
    );
    const samples = { amounts, payments, refusedFrom: Infinity, steepest: 1e3, rounding };
    const lowered = withLowestCeilings(samples);
    assert.deepEqual(lowered.amounts, amounts);
    for (const [index, amount] of amounts.entries()) {
      const ceiling = (lowered.payments[index] ?? 0) + (index === 0 ? 0 : rounding);
      assert.ok(ceiling >= curve(amount) * (1 - 1e-9), `set ${set} at ${amount}`);
      assert.ok(ceiling <= (payments[index] ?? 0) + rounding + 1e-6);
    }
  }
});

test("a sample that rounding lowered by the most lowers the ceilings beside it to the curve", () => {
  const amounts = [0, 10_000, 50_000, 50_001, 50_040];
  // The fourth pays a whole rounding less than the straight curve, the others the curve itself.
  const payments = amounts.map((amount) => (amount === 50_001 ? amount * 600 - 600 : amount * 600));
  const { payments: lowered } = withLowestCeilings({
    amounts,
    payments,
    refusedFrom: Infinity,
    steepest: 601,
    rounding: 600,
  });
  for (const index of [2, 3, 4]) {
    const ceiling = (lowered[index] ?? 0) + 600;
    assert.ok(Math.abs(ceiling - (amounts[index] ?? 0) * 600) <= 10, `${ceiling} at ${index}`);
  }
});
