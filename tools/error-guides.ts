import { SIZE_RANGE_TEXT } from "#src/measure/questions/requested-size.ts";
import type { PublicCode } from "#src/platform/app-error.ts";

/** Guide to an error code: when it occurs, and what the caller should do. */
type ErrorGuide = { readonly when: string; readonly remedy: string };

const SEE_REFERENCE = "Compare the request with /docs: `message` names the field.";

export const ERROR_GUIDES: Readonly<Record<PublicCode, ErrorGuide>> = {
  invalid_body: {
    when: "The body is not a JSON object, a field, a query parameter or a header has a wrong value, or a query parameter's name is misspelt.",
    remedy: SEE_REFERENCE,
  },
  invalid_email: {
    when: "The e-mail address is missing or not one that mail can be sent to.",
    remedy: "Send a plain ASCII address, such as name@example.com.",
  },
  missing_event_name: {
    when: "An event of the funnel has no `event_name`.",
    remedy: "Send `event_name`.",
  },
  invalid_event_name: {
    when: "`event_name` is not one of the names in /docs.",
    remedy: SEE_REFERENCE,
  },
  invalid_mint: {
    when: "`mint` is not a Solana address.",
    remedy:
      "Send the address of the token, 32 bytes in base58. Names and symbols are not accepted.",
  },
  invalid_size: {
    when: "The size is not a number in SOL within the limits, its unit is unknown, or the parameter's name is misspelt.",
    remedy: `Send a size from ${SIZE_RANGE_TEXT}.`,
  },
  invalid_profile: {
    when: "`profile` is neither retail nor pro, or the parameter's name is misspelt.",
    remedy: "Send retail (the best single route) or pro (the order is split over all pools).",
  },
  no_changes: {
    when: "The request names no field to change.",
    remedy: "Send at least one field.",
  },
  unauthorized: {
    when: "The API key or the session is unknown, revoked or expired; or the endpoint needs a session and a key was sent.",
    remedy:
      "Do not repeat the request. Create a new key at /api-keys, or sign in again. A key never falls back to anonymous access.",
  },
  limit_reached: {
    when: "The tier allows no more watchlist entries, or the user has ten channels.",
    remedy: "Remove one. A higher tier allows more watchlist entries, not more channels.",
  },
  forbidden_origin: {
    when: "A page whose address does not begin with PUBLIC_URL's scheme, host and port sent a request that only the service's own pages may send: a page of another site, or the dashboard under another address. Or a program sent the dashboard's cookie with neither `Origin` nor `Sec-Fetch-Site`.",
    remedy:
      "Open the dashboard at the address in `message`, or set PUBLIC_URL to the address where it is open. From a program, send the access token as `authorization: Bearer ...`, without a cookie and without `Origin`.",
  },
  not_found: {
    when: "Nothing is at this path or id, or the token has no pool or curve on any program that is modelled. For a valid address the search was complete: this is a result, and it counts as a query.",
    remedy: "Check the address. A new token can have its first pool a moment later.",
  },
  state_not_stored: {
    when: "No answer is stored for exactly this slot.",
    remedy: "Ask for `slot_before` or `slot_after` of the answer. Answers are kept for some days.",
  },
  method_not_allowed: {
    when: "The path exists, the method does not.",
    remedy: "Use a method of the header `Allow`.",
  },
  duplicate: {
    when: "The watchlist entry, the channel or the API key exists already.",
    remedy: "Change the existing one. Rotate a key with `POST /api/account/keys/rotate`.",
  },
  body_too_large: {
    when: "The body is larger than 16 KiB.",
    remedy: "Send fewer tokens in one request; a batch takes a hundred.",
  },
  unsupported_media_type: {
    when: "The body is not declared as JSON.",
    remedy: "Send `content-type: application/json`.",
  },
  rate_limit_exceeded: {
    when: "The queries of the day or of the minute are used, too many requests came from one address, too many tokens or alerts are streamed at once, or an account's keys, channels or data were requested too often.",
    remedy:
      "Wait for `Retry-After` seconds. `message` states the limit. If it is one of queries or of streamed tokens, `used` and `limit` have its figures, and a key or a higher tier allows more.",
  },
  server_error: {
    when: "Something failed in the service.",
    remedy:
      "Repeat the request once. If it fails again, report its `X-Request-Id` to the operator.",
  },
  chain_unavailable: {
    when: "The Solana node does not answer, or the token's accounts are still being read. Nothing is known of the token now.",
    remedy: "Repeat the request after `Retry-After` seconds.",
  },
  proof_unavailable: {
    when: "The sale cannot be executed by the deployed programs: proofs are off here, the chain is the demo market (its programs are simulated and have no code), the programs are not loaded, or the token's decimals are unknown.",
    remedy: "Use the exact quote without a proof. `message` gives the reason.",
  },
  overloaded: {
    when: "The service refuses requests until it has caught up.",
    remedy: "Repeat the request after `Retry-After` seconds.",
  },
};
