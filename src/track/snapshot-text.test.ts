import assert from "node:assert/strict";
import { test } from "node:test";
import type { Assessment } from "#src/measure/assessment.ts";
import { someMeasurement, someSnapshot } from "#test/support/assessments.ts";
import { type AssessedSnapshot, renew, renewalOf } from "./snapshot-text.ts";

const before = someSnapshot() as AssessedSnapshot;

function withAssessment(change: Partial<Assessment>): AssessedSnapshot {
  return { ...before, assessment: { ...before.assessment, ...change } };
}

test("the same measurement at a later slot is a renewal, which makes it of the one before", () => {
  const findings = [{ kind: "short-history", historySeconds: 40 }] as const;
  for (const change of [{}, { slot: 400_000_007n, stateTimeMs: 9 }, { findings }]) {
    const after = withAssessment(change);
    const renewal = renewalOf(before, after);
    assert.ok(renewal !== null);
    assert.deepEqual(renew(before, renewal), after);
  }
});

test("a snapshot that differs in anything else does not renew the one before", () => {
  const renewed = ["findings", "slot", "stateTimeMs"];
  const keys = Object.keys(before.assessment).filter((key) => !renewed.includes(key));
  const others = [
    ...keys.map((key) => withAssessment({ [key]: {} })),
    withAssessment({ measurement: { ...someMeasurement } }),
    withAssessment({ commitment: "processed" }),
    ...Object.keys(before)
      .filter((key) => key !== "assessment")
      .map((key) => ({ ...before, [key]: {} })),
  ] as const;
  for (const other of others) {
    assert.equal(renewalOf(before, other), null);
    assert.equal(renewalOf(other, before), null);
  }
});
