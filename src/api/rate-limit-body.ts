/** What a refused caller has used, of what, in which window. */
export type UsedUp = {
  readonly policy: "day" | "minute";
  readonly limit: number;
  readonly used: number;
  /** Queries that the request takes; one where it is left out. */
  readonly wanted?: number;
};

const WAITLIST_URL = "/api/oracle/waitlist";
const REGISTER_URL = "/api/oracle/register";

/** The body of a 429 (contract.md section 2). `isAnonymous` callers are shown where to register. */
export function rateLimitBody({ policy, used, limit, wanted = 1 }: UsedUp, isAnonymous: boolean) {
  const taking = wanted === 1 ? "" : `, and this takes ${wanted}`;
  return {
    error: "rate_limit_exceeded",
    message:
      policy === "day"
        ? `You have used ${used} of ${limit} queries today; the count starts again at 00:00 UTC.`
        : `You have used ${used} of ${limit} queries this minute${taking}; wait for the window to open.`,
    used,
    limit,
    register_url: isAnonymous ? REGISTER_URL : null,
    waitlist_url: WAITLIST_URL,
    upgrade_cta: isAnonymous
      ? "Register for free to double your daily queries."
      : "Join the waitlist for a tier without a daily limit.",
  };
}

/** How many tokens a caller wants to follow, follows already, and may follow at once. */
export type StreamsFull = {
  readonly asked: number;
  readonly followed: number;
  readonly limit: number;
};

/** The same body for a stream that would follow more tokens at once than the tier does. */
export function streamLimitBody({ asked, followed, limit }: StreamsFull, isAnonymous: boolean) {
  return {
    error: "rate_limit_exceeded",
    message:
      asked > limit
        ? `Your tier follows ${limit} tokens at once, and this stream asks for ${asked}.`
        : `You follow ${followed} of ${limit} tokens at once; close a stream to follow ${asked} more.`,
    used: followed,
    limit,
    register_url: isAnonymous ? REGISTER_URL : null,
    waitlist_url: WAITLIST_URL,
    upgrade_cta: "Join the waitlist for a tier that follows more tokens at once.",
  };
}
