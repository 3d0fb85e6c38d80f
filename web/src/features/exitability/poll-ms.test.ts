import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../lib/api.ts";
import { pollMs } from "./poll-ms.ts";

test("a refused request is sent again when it is worth asking, within a second and a minute", () => {
  const refusedUntil = (retryAtMs: number | null) => ({
    error: new ApiError(429, { error: "rate_limit_exceeded" }, retryAtMs),
  });
  assert.equal(pollMs(refusedUntil(130_000), false, 100_000), 30_000);
  assert.equal(pollMs(refusedUntil(90_000), true, 100_000), 1_000);
  assert.equal(pollMs(refusedUntil(86_400_000), true, 100_000), 60_000);
  assert.equal(pollMs(refusedUntil(null), false, 100_000), 5_000);
});

test("pushed answers are asked for less often", () => {
  assert.ok(pollMs({ error: null }, true, 0) > pollMs({ error: null }, false, 0));
});
