import assert from "node:assert/strict";
import { test } from "node:test";
import { between, seededRandom } from "#src/platform/seeded-random.ts";
import { outerBound } from "./outer-bound.ts";

test("many samples never bound a concave curve from below, wherever rounding lowered them", () => {
  const random = seededRandom(12);
  for (let set = 0; set < 100; set++) {
    const whole = between(random, 1e4, 1e9);
    const reserve = whole * between(random, 1e-2, 1e2);
    const price = between(random, 1e-3, 1e3);
    const curve = (amount: number) => (price * amount * reserve) / (reserve + amount);
    const rounding = curve(whole) * between(random, 1e-12, 1e-1);
    const drawn = Array.from({ length: 300 }, () => Math.ceil(whole * random()));
    const amounts = [...new Set([0, ...drawn])].sort((a, b) => a - b);
    // A lane never pays less for more.
    let most = 0;
    const payments = amounts.map((amount) => {
      if (amount > 0) most = Math.max(most, curve(amount) - rounding * random());
      return most;
    });
    const lane = { amounts, payments, refusedFrom: Infinity, steepest: price, rounding };
    for (const part of [1, 0.7, 0.1]) {
      // Two such lanes pay the most where each takes half.
      const paid = outerBound([lane, lane], whole * part)?.paid ?? 0;
      assert.ok(paid >= 2 * curve((whole * part) / 2) * (1 - 1e-9), `set ${set} at ${part}`);
    }
  }
});

test("the work for a bound doesn't grow with the square of the samples where rounding is large", () => {
  const size = 4_000;
  let reads = 0;
  const amounts = Array.from({ length: size }, (_, index) => index * 1_000);
  const payments = new Proxy(
    amounts.map((amount) => (amount * 1e6) / (1e6 + amount)),
    {
      get: (target, key, receiver): unknown => {
        reads += 1;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  const lane = { amounts, payments, refusedFrom: Infinity, steepest: 1, rounding: 10 };
  assert.ok(outerBound([lane], size * 1_000));
  assert.ok(reads < 200 * size, `${reads} reads`);
});

test("a lane that can take the whole alone bounds it, whatever its amounts", () => {
  const random = seededRandom(1);
  const refusing = { amounts: [0], payments: [0], refusedFrom: 1e-9, steepest: 1e-12 };
  for (let set = 0; set < 1_000; set++) {
    const whole = Math.floor(random() * 2 ** 53);
    const inside = Array.from({ length: 4 }, () => 1 + Math.floor(random() * whole));
    const amounts = [0, ...new Set(inside)].toSorted((a, b) => a - b);
    const payments = amounts.map((amount) => 1e9 * Math.sqrt(amount / whole));
    const lane = { amounts, payments, refusedFrom: Number.POSITIVE_INFINITY, steepest: 1e9 };
    const bound = outerBound([lane, refusing], whole);
    assert.ok(bound !== null && bound.paid >= 1e9 * (1 - 1e-12), `set ${set}`);
  }
});
