import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../lib/api.ts";
import { mayRetry, retryDelayMs } from "./retries.ts";

const NOW_MS = 1_000_000;

test("a failed request is sent again twice, a refusal never", () => {
  const overloaded = new ApiError(503, { error: "overloaded" });
  assert.deepEqual(
    [0, 1, 2].map((failures) => mayRetry(failures, overloaded)),
    [true, true, false],
  );
  for (const refusal of [
    new ApiError(429, { error: "rate_limit_exceeded" }),
    new ApiError(503, { error: "chain_unavailable" }),
  ])
    assert.equal(mayRetry(0, refusal), false);
});

test("an overloaded service is asked again no earlier than it says", () => {
  const error = new ApiError(503, { error: "overloaded" }, NOW_MS + 5_000);
  const delays = (of: unknown) =>
    [0, 1].map((failures) => retryDelayMs(failures, { error: of, nowMs: NOW_MS }));
  assert.deepEqual(delays(error), [5_000, 5_000]);
  assert.deepEqual(delays(new ApiError(500, {})), [1_000, 2_000]);
  assert.deepEqual(delays(new TypeError("fetch failed")), [1_000, 2_000]);
});
