import assert from "node:assert/strict";
import { test } from "node:test";
import type { Assessment } from "#src/measure/assessment.ts";
import { someMeasurement, someSnapshot } from "#test/support/markets/assessments.ts";
import {
  type AssessedSnapshot,
  agedAssessment,
  parseLevels,
  parseSnapshot,
  renew,
  renewalOf,
  snapshotText,
} from "./snapshot-text.ts";

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

test("levels are read as version 5 stored them, and are stored in the same form", () => {
  const kept =
    '{"last":-0.15625,"interval":180000375,"low":-0.1875,"lows":[-0.1875,-0.1875,-0.1875,-0.0625,-0.1875,-0.1875]}';
  const hours = [
    '{"hour":500000,"level":2.302585092994046,"totals":{"withdrawn":0,"sold":0,"fees":0,"paused":0}}',
    '{"hour":500001,"level":2.0794415416798357,"totals":{"withdrawn":0.1875,"sold":0.03125,"fees":0.0078125,"paused":0.015625}}',
  ];
  const totals = '{"withdrawn":0.15625,"sold":0.0078125,"fees":0.0078125,"paused":0.015625}';
  const last = '{"level":2.0794415416798357,"timeMs":1800003750000}';
  const levels = `{"unexplained":0.25,"levels":{"totals":${totals},"kept":${kept},"hours":[${hours}],"last":${last}}}`;
  const text = snapshotText(before).replace(/}$/, `,"levels":${levels}}`);
  const read = parseLevels(text);
  assert.ok(read !== null);
  const { hours: numbers, lastLevel, lastMs } = read.levels;
  assert.deepEqual(numbers.slice(6), [
    ...[500_001, 2.0794415416798357, 0.1875, 0.03125, 0.0078125, 0.015625],
  ]);
  assert.deepEqual([lastLevel, lastMs], [2.0794415416798357, 1_800_003_750_000]);
  assert.equal(snapshotText(before, read), text);
  assert.deepEqual(parseSnapshot(text), before);
});

test("an assessment whose age changes nothing stays the same object, so that it is not compared as text again", () => {
  const { assessment } = before;
  const at = (ageMs: number) => agedAssessment(assessment, assessment.stateTimeMs + ageMs);
  assert.equal(at(30_000), assessment);
  assert.deepEqual(at(31_000).findings, [
    { kind: "stale", ageSeconds: 31 },
    ...assessment.findings,
  ]);
  assert.deepEqual(agedAssessment(at(31_000), assessment.stateTimeMs), assessment);
});
