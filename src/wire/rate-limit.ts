/** What a refused caller has used, of what, in which window. */
export type UsedUp = {
  readonly policy: "day" | "minute";
  readonly limit: number;
  readonly used: number;
};

/** The body of a 429 (contract.md section 2). `isAnonymous` callers are shown where to register. */
export function rateLimitBody({ policy, used, limit }: UsedUp, isAnonymous: boolean) {
  return {
    error: "rate_limit_exceeded",
    message:
      policy === "day"
        ? `You have used ${used} of ${limit} queries today; the count starts anew at 00:00 UTC.`
        : `You have used ${used} of ${limit} queries this minute; wait for the window to open.`,
    used,
    limit,
    register_url: isAnonymous ? "/api/oracle/register" : null,
    waitlist_url: "/api/oracle/waitlist",
    upgrade_cta: isAnonymous
      ? "Register for free to double your daily queries."
      : "Join the waitlist for a tier without a daily limit.",
  };
}
