import assert from "node:assert/strict";
import { test } from "node:test";
import type { History } from "#client/openapi.ts";
import { recordedCapacity } from "../../lib/recorded-change.ts";
import { alertOf, isTrendKnown } from "./alert-of.ts";
import type { HistoryAlert, HistoryPoint } from "./use-token-data.ts";

const at = (ms: number) => new Date(ms).toISOString();
const alertAt = (id: string, ms: number) => ({ id, started_at: at(ms) }) as HistoryAlert;
const pointAt = (ms: number, c10_sol: number | null) => ({ t: at(ms), c10_sol }) as HistoryPoint;

test("the newest alert of the last hour is shown", () => {
  const history = { alerts: [alertAt("old", 0), alertAt("new", 5_000_000)] } as unknown as History;
  assert.equal(alertOf(history, 5_100_000)?.id, "new");
  assert.equal(alertOf(history, 9_000_000), null);
  assert.equal(alertOf(undefined, 0), null);
});

test("the floor of a recorded capacity is nothing, and unknown stays unknown", () => {
  assert.deepEqual([0.01, 0.010000000000000005, 0.5, null].map(recordedCapacity), [
    0,
    0,
    0.5,
    null,
  ]);
});

test("a trend is known after five minutes of figures", () => {
  assert.ok(!isTrendKnown([pointAt(0, null), pointAt(200_000, 1), pointAt(400_000, 1)]));
  assert.ok(isTrendKnown([pointAt(0, 1), pointAt(300_000, 1)]));
  assert.ok(!isTrendKnown(undefined));
});
