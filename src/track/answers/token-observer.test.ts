import assert from "node:assert/strict";
import { test } from "node:test";
import { someAssessment } from "#test/support/markets/assessments.ts";
import { newSeries } from "../history/series.ts";
import { snapshotOf } from "./token-observer.ts";

test("an answer of which the trend is not known yet says stable, whatever the samples before it gave", () => {
  const names = { name: null, symbol: null };
  for (const trend of ["improving", "deteriorating"] as const) {
    const token = { names, series: { ...newSeries(1), trend } };
    assert.equal(snapshotOf(token, someAssessment()).trend, trend);
    const findings = [{ kind: "short-history", historySeconds: 0 }] as const;
    assert.equal(snapshotOf(token, someAssessment({ findings })).trend, "stable");
  }
});
