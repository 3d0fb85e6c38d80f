import type { Standing } from "./quotas.ts";

/**
 * The headers that every answer of the measuring endpoint carries: the old names, and the standard
 * ones (RateLimit header fields for HTTP, IETF httpapi) beside them.
 */
export function rateLimitHeaders(
  standing: Standing,
  nowMs: number,
): Readonly<Record<RateLimitHeader, string>> {
  const { policy, limit, remaining, windowSeconds, resetAtMs } = standing;
  const resetSeconds = Math.max(0, Math.ceil((resetAtMs - nowMs) / 1000));
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "RateLimit-Policy": `"${policy}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
}

type RateLimitHeader =
  | "X-RateLimit-Limit"
  | "X-RateLimit-Remaining"
  | "RateLimit-Policy"
  | "RateLimit";
