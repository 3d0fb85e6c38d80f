/** Headers of answers that mean something to a caller, by their name. */
export const HEADERS = {
  "X-Request-Id": header("Names this answer in our log"),
  "X-Chain": header("demo: measured on the demo market; neither tokens nor prices are real"),
  "X-Commitment": header(
    "Commitment of the chain state: confirmed, or processed, which may be taken back",
  ),
  "Cache-Control": header("What depends on who asks is kept by no shared cache"),
  Vary: header("What of the request this answer depends on"),
  "X-RateLimit-Limit": header("Queries in the window that binds the caller"),
  "X-RateLimit-Remaining": header("What is left of them"),
  RateLimit: header("The same as RateLimit header fields have it: policy, remaining, seconds"),
  "RateLimit-Policy": header("The window: policy, quota, seconds"),
  "Retry-After": header("Seconds until it is worth asking again"),
  ETag: header("Names this state; send it back as If-None-Match"),
  "X-State-Slot": header("The slot of the chain state that the answer was measured on"),
  Allow: header("The methods that the path has"),
  "Set-Cookie": header("The dashboard's session, or its end"),
  "Content-Disposition": header("A name for the file"),
  "Access-Control-Allow-Origin": header(
    "Where the request has an Origin: *, any page may read this answer. No credentials",
  ),
  "Access-Control-Expose-Headers": header("Beside it: what of the headers a page may read"),
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
