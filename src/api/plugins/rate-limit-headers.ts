import type { QuotaStatus } from "#src/users/quotas.ts";

/**
 * The headers of every answer of the metered endpoints: the X-RateLimit names of the contract, and
 * the RateLimit fields of the IETF httpapi draft.
 */
export function rateLimitHeaders(
  { policy, limit, remaining, windowSeconds, resetAtMs }: QuotaStatus,
  nowMs: number,
): Readonly<Record<RateLimitHeader, string>> {
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
