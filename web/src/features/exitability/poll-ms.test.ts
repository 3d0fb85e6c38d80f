import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../lib/api.ts";
import { pollMs } from "./poll-ms.ts";

test("a refused request is sent again when it is worth asking, within a second and a minute", () => {
  const refusedUntil = (retryAtMs: number | null) => ({
    data: undefined,
    error: new ApiError(429, { error: "rate_limit_exceeded" }, retryAtMs),
  });
  assert.equal(pollMs(refusedUntil(130_000), false, 100_000), 30_000);
  assert.equal(pollMs(refusedUntil(90_000), true, 100_000), 1_000);
  assert.equal(pollMs(refusedUntil(86_400_000), true, 100_000), 60_000);
  assert.equal(pollMs(refusedUntil(null), false, 100_000), 5_000);
});

test("pushed answers are asked for less often", () => {
  const data = { updated_at: new Date(0).toISOString() };
  assert.equal(pollMs({ error: null, data }, true, 0), 15_000);
  assert.equal(pollMs({ error: null, data }, false, 0), 5_000);
});

test("a state that is confirmed every 20 seconds is never read when it is 30 seconds old", () => {
  for (let readMs = 0; readMs < 20_000; readMs += 500) {
    let nowMs = readMs;
    for (let reads = 0; reads < 50; reads++) {
      const confirmedMs = Math.floor(nowMs / 20_000) * 20_000;
      const data = { updated_at: new Date(confirmedMs).toISOString() };
      nowMs += pollMs({ error: null, data }, true, nowMs);
      assert.ok(nowMs - confirmedMs < 28_000, `${nowMs - confirmedMs} ms, first read at ${readMs}`);
    }
  }
});
