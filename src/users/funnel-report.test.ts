import assert from "node:assert/strict";
import { test } from "node:test";
import { funnelReport } from "./funnel-report.ts";

const count = (day: number, eventName: string, utmSource: string | null, times: number) => ({
  day,
  eventName,
  utmSource,
  utmMedium: null,
  utmCampaign: null,
  count: times,
});

test("each step is compared with the previous one, in total, by source and by day", () => {
  const report = funnelReport([
    count(1, "registro", "x", 40),
    count(2, "registro", null, 60),
    count(2, "click_upgrade_desde_limite", "x", 10),
    count(2, "click_pagar", "x", 5),
    count(2, "alerta_click", null, 3),
    count(3, "alerta_click", "x", 4),
  ]);
  const brief = (steps: (typeof report)["steps"]) =>
    steps.map((step) => [step.count, step.conversionPct]);
  assert.deepEqual(brief(report.steps), [
    [100, null],
    [10, 10],
    [5, 50],
    [0, 0],
    [0, null],
  ]);
  assert.deepEqual(report.others, [{ eventName: "alerta_click", count: 7 }]);
  assert.deepEqual(
    report.bySource.map(({ utmSource, steps }) => [utmSource, steps[0]?.count, steps[1]?.count]),
    [
      ["x", 40, 10],
      [null, 60, 0],
    ],
  );
  assert.deepEqual(
    report.byDay.map(({ day, steps }) => [day, steps[0]?.count]),
    [
      [1, 40],
      [2, 60],
      [3, 0],
    ],
  );
});

test("without events every step is 0 and every share is null", () => {
  assert.ok(
    funnelReport([]).steps.every((step) => step.count === 0 && step.conversionPct === null),
  );
});
