/** Headers of answers that mean something to a caller, by their name. */
export const HEADERS = {
  "X-Request-Id": header("Id of this answer in the log of the service"),
  "X-Chain": header(
    "demo: the answer is about the demo market, whose tokens and prices are not real",
  ),
  "X-Commitment": header(
    "Commitment of the chain state: confirmed, or processed, which may be taken back",
  ),
  "Cache-Control": header("Shared caches must not keep an answer that depends on the caller"),
  Vary: header("Request headers that the answer depends on"),
  "X-RateLimit-Limit": header(
    "Number of queries that the caller may send in the window that limits them",
  ),
  "X-RateLimit-Remaining": header("Number of these queries that are left"),
  RateLimit: header(
    "The same in the form of the IETF draft: policy, queries left, seconds until the window ends",
  ),
  "RateLimit-Policy": header(
    "The window in the form of the IETF draft: policy, queries, length in seconds",
  ),
  "Retry-After": header("Seconds to wait before the request is repeated"),
  ETag: header("Tag of this state; sent as If-None-Match, it gets 304 while the state is the same"),
  "X-State-Slot": header("The slot of the chain state that the answer was measured on"),
  Allow: header("Methods that the path accepts"),
  "Set-Cookie": header("Sets or removes the cookie of the dashboard's session"),
  "Content-Disposition": header("A name for the file"),
  "Access-Control-Allow-Origin": header(
    "* if the request has an Origin: pages of any site may read this answer, without credentials",
  ),
  "Access-Control-Expose-Headers": header("Headers of this answer that a page may read"),
} as const;

export type HeaderName = keyof typeof HEADERS;

export const METERED_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "RateLimit",
  "RateLimit-Policy",
] as const satisfies readonly HeaderName[];

/** What a page of another origin may read of an answer's headers. */
export const EXPOSED_HEADERS = [
  "X-Request-Id",
  "X-Chain",
  "X-Commitment",
  ...METERED_HEADERS,
  "Retry-After",
  "ETag",
  "X-State-Slot",
  "Allow",
] as const satisfies readonly HeaderName[];

/** What answers of endpoints that are open to pages have beside the others' headers. */
export const OPEN_TO_PAGES_HEADERS = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
] as const satisfies readonly HeaderName[];

function header(description: string) {
  return { description, schema: { type: "string" } };
}
