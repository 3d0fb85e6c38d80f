import assert from "node:assert/strict";
import { test } from "node:test";
import { readinessOf } from "./health.ts";

test("a process is ready where the database answers and the chain is known to be young", () => {
  const isReady = (chainAgeMs: number | null) =>
    readinessOf(true, { chainAgeMs, slotLag: null }).isReady;
  assert.equal(isReady(400), true);
  assert.equal(isReady(119_999), true);
  assert.equal(isReady(120_000), false);
  assert.equal(isReady(null), false, "unknown is not young");
  assert.equal(readinessOf(false, { chainAgeMs: 400, slotLag: 0 }).isReady, false);
});

test("a process that answers from no chain needs the database alone", () => {
  assert.deepEqual(readinessOf(true, null), {
    isReady: true,
    database: "ok",
    chainAgeSeconds: null,
    slotLag: null,
  });
  assert.equal(readinessOf(false, null).isReady, false);
});
