import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applySlippage, type SlippageReading, type SlippageSide } from "./slippage-rule.ts";

const UNKNOWN: SlippageReading = { kind: "unknown" };

/** Feeds readings one by one; a text is a blocked answer. */
function alertsOf(readings: readonly (number | null | "blocked")[]) {
  let side: SlippageSide = null;
  return readings.map((value) => {
    const reading: SlippageReading =
      value === "blocked" ? UNKNOWN : { kind: "known", slippagePct: value };
    const step = applySlippage(side, reading);
    side = step.side;
    return step.turnedOn;
  });
}

test("passing 10 % from below alerts once, and again only after it was below 8 %", () => {
  assert.deepEqual(alertsOf([5, 9.9999, 10, 30, 8, 12, 7.9999, 10]), [
    null,
    null,
    "slippage",
    null,
    null,
    null,
    null,
    "slippage",
  ]);
});

test("an exit that is gone alerts as such, from any slippage below 10 %", () => {
  assert.deepEqual(alertsOf([9, null, null, 11, null]), [null, "no-exit", null, null, null]);
});

test("the first reading never alerts: nothing was passed", () => {
  for (const first of [50, 10, null, 9, 1]) assert.deepEqual(alertsOf([first]), [null]);
  assert.deepEqual(alertsOf([50, 60, 7, 10]), [null, null, null, "slippage"]);
});

test("a blocked answer changes nothing, wherever it comes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constant(null))),
      fc.array(fc.nat(20)),
      (values, places) => {
        const mixed: (number | null | "blocked")[] = [...values];
        for (const place of places) mixed.splice(Math.min(place, mixed.length), 0, "blocked");
        const heard = alertsOf(mixed).filter((_, index) => mixed[index] !== "blocked");
        assert.deepEqual(heard, alertsOf(values));
      },
    ),
    { numRuns: 100 },
  );
});

test("between two alerts there is always a reading below 8 %", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.double({ min: 0, max: 20, noNaN: true }), fc.constant(null)), {
        minLength: 2,
        maxLength: 60,
      }),
      (values) => {
        let isArmed = values[0] !== null && (values[0] ?? 100) < 10;
        for (const [index, turnedOn] of alertsOf(values).entries()) {
          const value = values[index] ?? null;
          if (turnedOn !== null) {
            assert.ok(isArmed && index > 0);
            isArmed = false;
          }
          if (value !== null && value < 8) isArmed = true;
        }
      },
    ),
    { numRuns: 200 },
  );
});
