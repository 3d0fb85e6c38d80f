import Type, { type TSchema } from "typebox";
import { EXAMPLE_TIME } from "../examples.ts";
import { Timestamp } from "../values.ts";
import { ALERT_EXAMPLE, AlertItem } from "./alert-schema.ts";

/** A message that the service posts to a user's webhook. */
export type WebhookMessage = {
  readonly type: string;
  readonly id: string;
  readonly summary: string;
  readonly data: TSchema;
  readonly example: unknown;
};

const WebhookAlert = Type.Intersect(
  [AlertItem, Type.Object({ url: Type.String({ description: "The token's page" }) })],
  { $id: "WebhookAlert" },
);

const MessageTime = Type.String({
  ...Timestamp,
  description:
    "When it happened: of alerts, when the newest was found. The same at every attempt. UTC, ISO 8601 with milliseconds and Z",
});

/** Every message of webhooks, by the `type` in its body. */
export const WEBHOOK_MESSAGES: readonly WebhookMessage[] = [
  {
    type: "exit.alerts",
    id: "exitAlerts",
    summary: "Alerts of watched tokens, those of a short time together",
    data: Type.Object({ alerts: Type.Array(WebhookAlert, { minItems: 1 }) }),
    example: { alerts: [{ ...ALERT_EXAMPLE, url: "https://example.com/token/MINT" }] },
  },
  {
    type: "channel.verification",
    id: "channelVerification",
    summary: "The code that verifies a new webhook; enter it by verifyChannel",
    data: Type.Object({ code: Type.String({ pattern: "^[0-9a-f]{32}$" }) }),
    example: { code: "b1ebf33c4738a00d5e8ddd582b79f8db" },
  },
  {
    type: "channel.test",
    id: "channelTest",
    summary: "A test that the user asked for by testChannel",
    data: Type.Object({}),
    example: {},
  },
];

export const WEBHOOK_RULES =
  "Posted as JSON and signed as Standard Webhooks has it: HMAC-SHA256 of `webhook-id.webhook-timestamp.body` with the base64-decoded part of the secret after `whsec_`. The secret is in the answer of addChannel, which may arrive after the verification message. Any 2xx within ten seconds accepts the message; redirects are not followed. 400, 413 and 422 refuse it: it is repeated while later messages pass it, and dropped after three refusals. Any other outcome is repeated after 2 s, 5 s, 15 s, 30 s, 1 min, 2 min, 5 min, 10 min, 20 min, 30 min and then hourly, each up to 20 % sooner or later, for 24 hours. Messages of one channel that are not refused keep their order. A message can arrive more than once, always with the same `webhook-id`.";

export const WEBHOOK_HEADERS = [
  ["webhook-id", "Names the message; the same at every attempt", "msg_1"],
  [
    "webhook-timestamp",
    "Seconds since 1970 of this attempt; refuse one that is minutes old",
    "1793059200",
  ],
  [
    "webhook-signature",
    "v1, then a comma, then the HMAC in base64",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const;

/** The body of a message: type, time, data. */
export function webhookBodySchema({ type, id, data }: WebhookMessage): TSchema {
  return Type.Object(
    { type: Type.Literal(type), timestamp: MessageTime, data },
    { $id: `Webhook${id[0]?.toUpperCase()}${id.slice(1)}` },
  );
}

export function webhookBodyExample({ type, example }: WebhookMessage) {
  return { type, timestamp: EXAMPLE_TIME, data: example };
}
