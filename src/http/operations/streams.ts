import Type from "typebox";
import { BatchBody, BatchRequest, LONGEST_MINT_TEXT, MOST_MINTS } from "#src/wire/schema/batch.ts";
import { errorSchema, RateLimitBody } from "#src/wire/schema/error.ts";
import { EXITABILITY_EXAMPLE } from "./measuring-examples.ts";
import {
  EXAMPLE_MINT,
  LANGUAGE_PARAMETER,
  MINT_PARAMETER,
  type Operation,
  type Parameter,
  PROFILE_PARAMETER,
  SIZE_PARAMETER,
} from "./operation.ts";

const EVENTS = Type.String({ description: "Server-sent events" });
const EXAMPLE_EVENTS =
  'event: exitability\nid: 5f0c9a1e.1042\ndata: {"state":"ok","token_id":"…"}\n\nevent: heartbeat\ndata: {}\n\n';

const STREAM_ERRORS = [
  "unauthorized",
  "invalid_body",
  "invalid_profile",
  "invalid_size",
  "rate_limit_exceeded",
] as const;

const MINT_TEXT = `[^,]{1,${LONGEST_MINT_TEXT}}`;
const MINTS_PATTERN = `^${MINT_TEXT}(,${MINT_TEXT}){0,${MOST_MINTS - 1}}$`;

const JsonRpc = Type.Object({ jsonrpc: Type.Literal("2.0") }, { additionalProperties: true });
const JsonRpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Optional(
      Type.Union([Type.String(), Type.Integer()], { description: "Left out: a notification" }),
    ),
    method: Type.String(),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: false },
);

const COST =
  "Tiers with a daily gate: one query for each token. Tiers without: one for every ten tokens, rounded up.";
const STREAM =
  "Event exitability: the body of /api/token/{id}/exitability. Event unavailable: a token's outcome where it has no answer; with status 503 its answers follow as soon as there are any. Event heartbeat: every 15 seconds. Send the last id back as Last-Event-ID and only what changed since is told again. A stream ends after an hour. Followed at once: anonymous and free 10 tokens, degen 100, founder 300, pro 1000; beyond that 429, where Retry-After is a minute, in which a stream may have ended, or a day where the tier never follows as many.";

const LAST_EVENT_PARAMETER: Parameter = {
  in: "header",
  name: "Last-Event-ID",
  description: "The id of the last event that was received, on coming back",
  schema: Type.String(),
};

const THRESHOLD_PARAMETER: Parameter = {
  in: "query",
  name: "threshold",
  description:
    "Percentage points by which the slippage of a size has to move to be told. Other states, alerts and sizes that can't be sold any more are always told.",
  schema: Type.Number({ minimum: 0, maximum: 100 }),
};

const SHARED = [
  PROFILE_PARAMETER,
  SIZE_PARAMETER,
  THRESHOLD_PARAMETER,
  LANGUAGE_PARAMETER,
  LAST_EVENT_PARAMETER,
];

const stream = {
  method: "get",
  access: "caller",
  isOpenToPages: true,
  isMetered: true,
  tag: "streams",
  successes: {
    200: {
      description: "A stream of server-sent events",
      schema: EVENTS,
      example: EXAMPLE_EVENTS,
      contentType: "text/event-stream",
    },
  },
  errorSchemas: { 429: RateLimitBody },
} as const;

/** Many tokens in one question, and answers that come by themselves. */
export const STREAMS: readonly Operation[] = [
  {
    method: "post",
    access: "caller",
    isOpenToPages: true,
    isMetered: true,
    path: "/api/exitability/batch",
    id: "getExitabilityBatch",
    tag: "streams",
    summary: "Up to a hundred tokens at once, each with its own outcome",
    description: `${COST} Where the day has fewer left, the first ones are answered and the others have status 429. A token that could not be measured is given back.`,
    parameters: [LANGUAGE_PARAMETER],
    body: { schema: BatchRequest, example: { mints: [EXAMPLE_MINT], profile: "pro" } },
    successes: {
      200: {
        description: "An outcome for each, in the order asked",
        schema: BatchBody,
        example: {
          profile: "retail",
          items: [
            {
              token_id: EXAMPLE_MINT,
              status: 200,
              exitability: EXITABILITY_EXAMPLE,
              error: null,
              message: null,
            },
          ],
        },
      },
    },
    errors: [
      "unauthorized",
      "invalid_body",
      "invalid_profile",
      "invalid_size",
      "body_too_large",
      "unsupported_media_type",
      "rate_limit_exceeded",
    ],
    errorSchemas: { 429: RateLimitBody },
  },
  {
    ...stream,
    path: "/api/token/{id}/exitability/stream",
    id: "streamExitability",
    summary: "Each new answer of one token, as it happens",
    description: `Costs one query. ${STREAM}`,
    parameters: [MINT_PARAMETER, ...SHARED],
    errors: [...STREAM_ERRORS, "not_found", "chain_unavailable"],
  },
  {
    ...stream,
    path: "/api/stream",
    id: "streamMany",
    summary: "The changes of up to a hundred tokens, as they happen",
    description: `${COST} ${STREAM} threshold is 0.1 where it is not given.`,
    parameters: [
      {
        in: "query",
        name: "mints",
        description: "1 to 100 mint addresses, with commas between",
        schema: Type.String({ pattern: MINTS_PATTERN }),
        isRequired: true,
        example: EXAMPLE_MINT,
      },
      ...SHARED,
    ],
    errors: STREAM_ERRORS,
  },
  {
    method: "post",
    access: "caller",
    path: "/mcp",
    id: "mcp",
    tag: "streams",
    summary: "Tools for agents: Model Context Protocol, streamable HTTP",
    description:
      "measure_exit, compare_sizes, stressed_exit, exit_history and watch_exits, as MCP has them; without sessions. A tool costs what its questions cost, to whoever the headers name.",
    body: { schema: JsonRpcMessage, example: { jsonrpc: "2.0", id: 1, method: "tools/list" } },
    successes: {
      200: {
        description: "A JSON-RPC answer",
        schema: JsonRpc,
        example: { jsonrpc: "2.0", id: 1, result: { tools: [] } },
      },
      202: {
        description: "A notification was taken",
        schema: Type.Null(),
        example: null,
        contentType: null,
      },
    },
    errors: ["invalid_body", "forbidden_origin", "body_too_large", "unsupported_media_type"],
    errorSchemas: { 400: Type.Union([JsonRpc, errorSchema(["invalid_body"])]) },
  },
];
