import Type from "typebox";
import { itemsOf } from "#src/wire/schema/account.ts";
import {
  AddedChannelBody,
  AlertItem,
  ChannelKindWord,
  ChannelsBody,
} from "#src/wire/schema/alert.ts";
import { EXAMPLE_MINT, LANGUAGE_PARAMETER, type Operation, type Parameter } from "./operation.ts";

const mine = { tag: "watchlist", access: "session" } as const;
const CHANNELS = "/api/account/channels";
const NOON = "2026-11-21T12:00:00.000Z";
const WRITE_ERRORS = [
  "unauthorized",
  "forbidden_origin",
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
] as const;

const EXAMPLE_ALERT = {
  id: "7",
  entry_id: 1,
  mint: EXAMPLE_MINT,
  token_name: "Three Pools",
  token_symbol: "THREE",
  size_sol: 5,
  kind: "slippage",
  cause: "liquidity-withdrawn",
  share_pct: 82,
  slot: 420_000_000,
  slippage_before_pct: 4.2,
  slippage_after_pct: 31.5,
  c10_before_sol: 12.5,
  c10_after_sol: 3.1,
  depth_before_sol: 240,
  depth_after_sol: 61,
  since: NOON,
  created_at: NOON,
  text: "THREE: a position of 5 SOL sells at 31.5 % slippage, 4.2 % before.",
  grade: null,
};

const CHANNEL_ID: Parameter = {
  in: "path",
  name: "id",
  description: "The channel's id",
  schema: Type.String({ pattern: "^[0-9]{1,18}$" }),
  isRequired: true,
  example: "1",
};

const BEFORE: Parameter = {
  in: "query",
  name: "before",
  description: "Only alerts older than the one with this id",
  schema: Type.String({ pattern: "^[0-9]{1,18}$" }),
};

const LIMIT: Parameter = {
  in: "query",
  name: "limit",
  description: "At most so many",
  schema: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
};

/** Alerts of watched tokens, and the channels through which they go out. */
export const ALERTS: readonly Operation[] = [
  {
    ...mine,
    method: "get",
    path: "/api/account/alerts",
    id: "listAlerts",
    summary: "Alerts of the watched tokens, newest first",
    parameters: [BEFORE, LIMIT, LANGUAGE_PARAMETER],
    successes: {
      200: {
        description: "A page of them",
        schema: itemsOf(AlertItem),
        example: { items: [EXAMPLE_ALERT] },
      },
    },
    errors: ["unauthorized", "invalid_body"],
  },
  {
    ...mine,
    method: "get",
    path: "/api/account/alerts/stream",
    id: "streamAlerts",
    summary: "Each new alert, as it happens",
    description:
      "Event alert: one item of the feed; its id is the alert's. Last-Event-ID resumes after the one that was seen last. Event heartbeat every 15 seconds.",
    parameters: [LANGUAGE_PARAMETER],
    successes: {
      200: {
        description: "A stream without end",
        schema: Type.String({ description: "Server-sent events" }),
        example: `event: alert\nid: 7\ndata: {"id":"7","mint":"…"}\n\n`,
        contentType: "text/event-stream",
      },
    },
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "get",
    path: CHANNELS,
    id: "listChannels",
    summary: "The channels through which alerts go out, and alerts that could not be delivered",
    successes: {
      200: {
        description: "All channels, oldest first, and the newest dead letters",
        schema: ChannelsBody,
        example: {
          items: [
            {
              id: "1",
              kind: "webhook",
              target: "https://example.com/hook",
              status: "verified",
              enabled: true,
              created_at: NOON,
              last_delivery_at: null,
              last_error: null,
            },
          ],
          dead_letters: [],
        },
      },
    },
    errors: ["unauthorized"],
  },
  {
    ...mine,
    method: "post",
    path: CHANNELS,
    id: "addChannel",
    summary: "Add a mailbox, a webhook or a Telegram chat; a code verifies it",
    description:
      "A webhook is called by POST, signed as Standard Webhooks has it; the secret is in this answer alone. Its host's addresses have to be public.",
    parameters: [LANGUAGE_PARAMETER],
    body: {
      schema: Type.Object({
        kind: ChannelKindWord,
        target: Type.String({
          maxLength: 2048,
          description: "By kind: an e-mail address, an http(s) URL, or the number of a chat",
        }),
      }),
      example: { kind: "webhook", target: "https://example.com/hook" },
    },
    successes: {
      201: {
        description: "Added",
        schema: AddedChannelBody,
        example: {
          status: "pending",
          id: "1",
          secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
          verification: "We posted a signed message to this URL: enter the code in its data here.",
        },
      },
    },
    errors: [...WRITE_ERRORS, "invalid_email", "limit_reached", "duplicate", "rate_limit_exceeded"],
  },
  {
    ...mine,
    method: "patch",
    path: CHANNELS,
    id: "switchChannel",
    summary: "Switch a channel on or off",
    body: {
      schema: Type.Object({ id: CHANNEL_ID.schema, enabled: Type.Boolean() }),
      example: { id: "1", enabled: false },
    },
    successes: statusOf("updated"),
    errors: [...WRITE_ERRORS, "not_found"],
  },
  {
    ...mine,
    method: "delete",
    path: CHANNELS,
    id: "removeChannel",
    summary: "Remove a channel",
    parameters: [{ ...CHANNEL_ID, in: "query" }],
    successes: statusOf("deleted"),
    errors: [...WRITE_ERRORS, "not_found"],
  },
  {
    ...mine,
    method: "post",
    path: `${CHANNELS}/{id}/verify`,
    id: "verifyChannel",
    summary: "Enter the code that the channel received",
    parameters: [CHANNEL_ID],
    description: "A code that is wrong, used or too old is invalid_body.",
    body: {
      schema: Type.Object({ code: Type.String({ maxLength: 64 }) }),
      example: { code: "123456" },
    },
    successes: statusOf("verified"),
    errors: [...WRITE_ERRORS, "not_found"],
  },
  {
    ...mine,
    method: "post",
    path: `${CHANNELS}/{id}/test`,
    id: "testChannel",
    summary: "Send a test through a channel; a new code where it is not verified yet",
    parameters: [CHANNEL_ID],
    successes: {
      200: {
        description: "What became of it",
        schema: Type.Object({
          status: Type.Enum(["sent", "failed"]),
          error: Type.Union([Type.String(), Type.Null()]),
        }),
        example: { status: "sent", error: null },
      },
    },
    errors: [...WRITE_ERRORS, "not_found", "rate_limit_exceeded"],
  },
];

function statusOf(status: string) {
  const schema = Type.Object({ status: Type.Literal(status) });
  return { 200: { description: "Done", schema, example: { status } } };
}
