import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../lib/api.ts";
import { mayRetry, retryDelayMs } from "./retries.ts";

const NOW_MS = 1_000_000;

test("a failed request is sent again twice, a refusal never", () => {
  const overloaded = new ApiError(503, { error: "overloaded" });
  assert.deepEqual(
    [0, 1, 2].map((failures) => mayRetry(failures, { error: overloaded, nowMs: NOW_MS })),
    [true, true, false],
  );
  for (const refusal of [
    new ApiError(429, { error: "rate_limit_exceeded" }),
    new ApiError(503, { error: "chain_unavailable" }),
  ])
    assert.equal(mayRetry(0, { error: refusal, nowMs: NOW_MS }), false);
});

test("a wait of more than ten seconds is not waited for: the failure is shown", () => {
  for (const [seconds, isRepeated] of [
    [10, true],
    [11, false],
    [3_600, false],
  ] as const) {
    const error = new ApiError(503, {}, NOW_MS + seconds * 1_000);
    assert.equal(mayRetry(0, { error, nowMs: NOW_MS }), isRepeated);
  }
});

test("an overloaded service is asked again no earlier than it says", () => {
  const error = new ApiError(503, { error: "overloaded" }, NOW_MS + 5_000);
  const delays = (of: unknown) =>
    [0, 1].map((failures) => retryDelayMs(failures, { error: of, nowMs: NOW_MS }));
  assert.deepEqual(delays(error), [5_000, 5_000]);
  assert.deepEqual(delays(new ApiError(500, {})), [1_000, 2_000]);
  assert.deepEqual(delays(new TypeError("fetch failed")), [1_000, 2_000]);
});
