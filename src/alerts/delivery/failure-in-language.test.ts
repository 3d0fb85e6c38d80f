import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { createSmtpMailer } from "#src/users/mailer.ts";
import { closeAfter } from "#test/support/ending.ts";
import { failureInLanguage } from "./failure-in-language.ts";
import { createTelegramBot } from "./telegram.ts";
import { parseRanges } from "./webhook-addresses.ts";
import { createWebhookSender } from "./webhook-sender.ts";

const LOOPBACK = parseRanges(["127.0.0.0/8"]);
/** Nothing listens there. */
const NOWHERE = "127.0.0.1:1";

/** A receiver that answers with the status that the path names; 0: with no HTTP. */
async function startReceiver(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const status = Number(request.url?.match(/\d+/)?.[0]);
    if (status === 0) request.socket.end();
    else response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("every failure of a sender is stated in the reader's language, with its figures", async (t) => {
  const host = await startReceiver(t);
  const webhooks = createWebhookSender({ allowed: LOOPBACK, resolve: async () => [] });
  const inside = createWebhookSender({ allowed: [], resolve: async () => ["10.0.0.1"] });
  const open = createWebhookSender({ allowed: [], resolve: async () => ["8.8.8.8"] });
  const slow = createWebhookSender({
    allowed: LOOPBACK,
    resolve: () => new Promise(() => undefined),
    timeoutMs: 1,
  });
  const telegram = (apiUrl: string) => createTelegramBot({ botToken: "1:a", apiUrl });
  const sent = await Promise.all([
    ...[0, 302, 410, 422, 500].map((status) => webhooks.post(`http://${host}/${status}`, {}, "{}")),
    webhooks.post(`http://${NOWHERE}/`, {}, "{}"),
    webhooks.post("nonsense", {}, "{}"),
    webhooks.post("ftp://example.com/", {}, "{}"),
    webhooks.post("https://ana:b@example.com/", {}, "{}"),
    webhooks.post("https://example.com/", {}, "{}"),
    inside.post("https://example.com/", {}, "{}"),
    open.post("http://example.com/", {}, "{}"),
    slow.post("https://example.com/", {}, "{}"),
    telegram(`http://${NOWHERE}`).send("1", "text"),
    telegram(`http://${host}/500`).send("1", "text"),
  ]);
  const errors = sent.map((each) => ("error" in each ? each.error : assert.fail("was sent")));
  for (const error of [...errors, await mailFailure(t)]) {
    const spanish = failureInLanguage(error, "es");
    assert.notEqual(spanish, error, "it has a Spanish sentence");
    assert.equal(failureInLanguage(error, "en"), error);
    for (const [figure] of error.matchAll(/\d{3}|E[A-Z]{3,}/g)) assert.ok(spanish.includes(figure));
  }
});

async function mailFailure(t: TestContext): Promise<string> {
  const to = parseEmailAddress("ana@example.com");
  assert.ok(to !== null);
  const mailer = createSmtpMailer({ smtpUrl: `smtp://${NOWHERE}`, mailFrom: "exit@example.com" });
  closeAfter(t, mailer.close);
  const failure = mailer.send({ to, subject: "a", text: "b" }).then(() => null, String);
  return ((await failure) ?? assert.fail("was sent")).replace(/^Error: /, "");
}
