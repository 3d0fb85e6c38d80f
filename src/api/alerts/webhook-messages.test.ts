import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import {
  type AlertMessage,
  webhookBody,
  webhookCodeBody,
  webhookTestBody,
} from "#src/alerts/delivery/message-text.ts";
import { retryAtMs } from "#src/alerts/delivery/outbox.ts";
import { isRefusal } from "#src/alerts/delivery/webhook-sender.ts";
import { someUserAlert } from "#test/support/users/some-user-alert.ts";
import {
  WEBHOOK_HEADERS,
  WEBHOOK_MESSAGES,
  WEBHOOK_RULES,
  webhookBodyExample,
  webhookBodySchema,
} from "./webhook-messages.ts";

const MESSAGE: AlertMessage = {
  alerts: [someUserAlert()],
  language: "en",
  publicUrl: "https://example.com",
};

test("every message that is posted keeps the schema that the document has for it", () => {
  const bodies = [
    webhookBody(MESSAGE),
    webhookCodeBody("0123456789abcdef".repeat(2), 0),
    webhookTestBody(0),
  ];
  for (const message of WEBHOOK_MESSAGES) {
    const check = new Ajv({ strict: false }).compile(webhookBodySchema(message));
    const sent = bodies.map((text) => JSON.parse(text)).filter(({ type }) => type === message.type);
    assert.equal(sent.length, 1, message.type);
    for (const body of [...sent, webhookBodyExample(message)])
      assert.ok(check(body), `${message.type}: ${JSON.stringify(check.errors)}`);
  }
});

test("the documented repeats are those of the outbox", () => {
  const seconds = Array.from({ length: 11 }, (_, index) => {
    const message = { attempts: index + 1, dueMs: 0 };
    return Number(retryAtMs(message, { nowMs: 0, random: () => 0.5 })) / 1_000;
  });
  assert.deepEqual(seconds, [2, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600]);
  assert.match(
    WEBHOOK_RULES,
    /after 2 s, 5 s, 15 s, 30 s, 1 min, 2 min, 5 min, 10 min, 20 min, 30 min and then hourly/,
  );
  assert.deepEqual(
    [400, 413, 422].map((status) => isRefusal(status)),
    [true, true, true],
  );
  assert.deepEqual(
    WEBHOOK_HEADERS.map(([name]) => name),
    ["webhook-id", "webhook-timestamp", "webhook-signature"],
  );
});
