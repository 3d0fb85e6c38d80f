import Type from "typebox";
import { RateLimitBody } from "../error-bodies.ts";
import { LANGUAGE_HEADER, PROFILE_FIELD, SIZE_FIELD } from "../measuring/token-question.ts";
import type { HeaderParameter } from "../operation.ts";
import { fromText, readAs } from "../values.ts";

/** What both streams share. */

/** A number that is not negative, as programs write it. */
const NUMBER = /^\d{1,3}(?:\.\d{1,30})?(?:e-\d{1,3})?$/;

export const COST =
  "Tiers with a daily gate: one query for each token. Tiers without: one for every ten tokens, rounded up. In a batch each token that is not tracked yet is a query of its own.";

export const STREAM_DESCRIPTION =
  "Event exitability: the body of /api/token/{id}/exitability, at most two a second and token. Event unavailable: the outcome of a token without an answer; after status 500 or 503 its answers follow as soon as there are any. Event heartbeat: every 15 seconds. Send the last id back as Last-Event-ID to get only later changes. A stream ends after an hour. Tokens followed at once: anonymous and free 10, degen 100, founder 300, pro 1000. More are refused with 429; Retry-After is a minute, after which another stream may have ended, or a day if the stream alone exceeds the limit.";

const LAST_EVENT_HEADER: HeaderParameter = {
  name: "Last-Event-ID",
  description: "The id of the last event that was received, on reconnecting",
  schema: Type.String(),
};

export const STREAM_FIELDS = {
  profile: PROFILE_FIELD,
  size: SIZE_FIELD,
  threshold: Type.Optional(
    readAs(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description:
          "By how much an answer must change to be sent: percentage points of a size's slippage, points of the score, percent of depth or mid. Changes of state, phase, trend, confidence, alert and largest size are always sent.",
      }),
      fromText((text) => (NUMBER.test(text) && Number(text) <= 100 ? Number(text) : null)),
      "threshold must be percentage points from 0 to 100.",
    ),
  ),
};

export const STREAM_OPERATION = {
  method: "get",
  tag: "streams",
  access: "caller",
  isOpenToPages: true,
  meter: "tokens",
  headers: [LANGUAGE_HEADER, LAST_EVENT_HEADER],
  responses: {
    200: {
      description: "A stream of server-sent events",
      schema: Type.String({ description: "Server-sent events" }),
      example:
        'event: exitability\nid: 5f0c9a1e.1042\ndata: {"state":"ok","token_id":"…"}\n\nevent: heartbeat\ndata: {}\n\n',
      contentType: "text/event-stream",
    },
  },
  errorSchemas: { 429: RateLimitBody },
} as const;

export const STREAM_ERRORS = [
  "unauthorized",
  "invalid_body",
  "invalid_profile",
  "invalid_size",
  "rate_limit_exceeded",
] as const;
