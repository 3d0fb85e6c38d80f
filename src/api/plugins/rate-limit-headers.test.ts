import assert from "node:assert/strict";
import { test } from "node:test";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

test("the headers state the limit, what is left of it, and when the window resets", () => {
  const day = {
    policy: "day",
    limit: 5,
    used: 1,
    remaining: 4,
    windowSeconds: 86_400,
    resetAtMs: 43_200_000,
  } as const;
  assert.deepEqual(rateLimitHeaders(day, 0), {
    "X-RateLimit-Limit": "5",
    "X-RateLimit-Remaining": "4",
    "RateLimit-Policy": '"day";q=5;w=86400',
    RateLimit: '"day";r=4;t=43200',
  });
  assert.equal(rateLimitHeaders(day, 43_200_001).RateLimit, '"day";r=4;t=0');
});
