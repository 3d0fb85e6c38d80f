import assert from "node:assert/strict";
import { test } from "node:test";
import { alertsEn } from "../../lib/text/alerts-en.ts";
import { gradeText } from "./grade-text.ts";

test("an exit that was still worse is shown as worse, also where the cost of waiting is not known", () => {
  for (const [wasWorse, cost, text] of [
    [true, 12.5, "waiting would have cost 12.5\u00a0% more"],
    [true, null, "the exit was still worse; what waiting would have cost is not known"],
    [true, -3, "waiting would not have made the exit worse"],
    [false, null, "waiting would not have made the exit worse"],
    [false, 2, "waiting would not have made the exit worse"],
  ] as const) {
    const grade = {
      graded_at: "2026-12-01T00:30:00.000Z",
      was_worse: wasWorse,
      waited_cost_pct: cost,
    };
    assert.equal(gradeText(grade, alertsEn, "en"), text);
  }
  assert.equal(gradeText(null, alertsEn, "en"), "not checked");
});
