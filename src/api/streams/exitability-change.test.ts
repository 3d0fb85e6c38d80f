import assert from "node:assert/strict";
import { test } from "node:test";
import { EXITABILITY_EXAMPLE, type ExitabilityBody } from "../measuring/exitability-body.ts";
import { hasMoved } from "./exitability-change.ts";

const BODY: ExitabilityBody = {
  ...EXITABILITY_EXAMPLE,
  depth_sol: 200,
  precio_mid: 0.000005,
  score: 50.2,
};

const FIGURES: readonly (readonly [string, Partial<ExitabilityBody>, Partial<ExitabilityBody>])[] =
  [
    ["score", { score: 50.3 }, { score: 50.29 }],
    ["depth", { depth_sol: 200.2 }, { depth_sol: 199.801 }],
    ["mid", { precio_mid: 0.000005005 }, { precio_mid: 0.000004996 }],
    ["a slippage", slipping(0.4759), slipping(0.4758)],
  ];

for (const [figure, reaching, smaller] of FIGURES) {
  test(`${figure} is a change from the threshold on, and any move of it at threshold 0`, () => {
    assert.equal(hasMoved(BODY, { ...BODY, ...reaching }, 0.1), true);
    assert.equal(hasMoved(BODY, { ...BODY, ...smaller }, 0.1), false);
    assert.equal(hasMoved(BODY, { ...BODY, ...smaller }, 0), true);
  });
}

test("a figure that is known or unknown now is a change at any threshold, a new time is none", () => {
  for (const gone of [{ score: null }, { depth_sol: null }, { precio_mid: null }, slipping(null)]) {
    assert.equal(hasMoved(BODY, { ...BODY, ...gone }, 100), true);
    assert.equal(hasMoved({ ...BODY, ...gone }, BODY, 100), true);
  }
  assert.equal(hasMoved({ ...BODY, depth_sol: 0 }, BODY, 100), true);
  assert.equal(hasMoved(BODY, { ...BODY, updated_at: "2026-11-21T01:10:11.000Z" }, 0), false);
});

function slipping(pct: number | null): Partial<ExitabilityBody> {
  const { slippage } = EXITABILITY_EXAMPLE;
  return { slippage: { ...slippage, all: { ...slippage.all, "0.5": pct } } };
}
