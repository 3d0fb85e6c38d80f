import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { measureHonest } from "#bench/adversary/effects.ts";
import { hidesAlert, raisesFalseAlert } from "#bench/adversary/timeline.ts";
import { bidPool, honestPool, planOf } from "./plans.ts";

/** Withdraws 70 % in six equal parts, one a minute. */
const SLICES = { share: 0.7, parts: 6, everySteps: 6 };

describe("a bid of 5 % of the near depth that comes and goes", () => {
  const honest = measureHonest(planOf([honestPool({ sol: 540 })]));
  const bid = bidPool({ sol: 1.385, price: 0.0019, feePct: 2.7, range: 0.04 });

  for (const [onSteps, offSteps] of [
    [1, 1],
    [1, 2],
    [2, 4],
  ] as const) {
    const attack = {
      strategy: "bid above",
      pools: [bid],
      timing: { fromStep: 15, onSteps, offSteps },
    };

    test(`${onSteps} steps in, ${offSteps} out: hides no drain whose parts it comes with`, () => {
      assert.ok(honest !== null);
      assert.equal(hidesAlert(honest, attack, SLICES), false);
    });

    test(`${onSteps} steps in, ${offSteps} out: raises no alert`, () => {
      assert.ok(honest !== null);
      assert.equal(raisesFalseAlert(honest, attack), false);
    });
  }
});
