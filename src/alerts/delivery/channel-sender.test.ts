import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import type { Channel } from "#src/store/channels.ts";
import type { Mail } from "#src/users/mailer.ts";
import { closeAfter } from "#test/support/ending.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { pushSubscriber } from "#test/support/users/push-subscriber.ts";
import { someUserAlert } from "#test/support/users/some-user-alert.ts";
import { type ChannelSenderDeps, createChannelSender } from "./channel-sender.ts";
import { createTelegramBot } from "./telegram.ts";

const ALERT = someUserAlert({ tokenSymbol: "TEST\r\nBcc: x@y.example" });
const MINT = ALERT.mint;

function channel(change: Partial<Channel>): Channel {
  return {
    id: 1n,
    userId: ALERT.userId,
    kind: "email",
    target: "ana@example.com",
    language: "es",
    nonce: "n",
    isEnabled: true,
    isVerified: true,
    createdAtMs: 0,
    lastDeliveryAtMs: null,
    lastError: null,
    failingSinceMs: null,
    ...change,
  };
}

function sender(change: Partial<ChannelSenderDeps>) {
  return createChannelSender({
    mailer: { send: () => assert.fail("no mail was expected") },
    webhooks: { post: () => assert.fail("no call was expected") },
    telegram: null,
    push: null,
    authSecret: "a secret",
    publicUrl: "https://exit.example",
    clock: { nowMs: () => 1_000 },
    ...change,
  });
}

const PARCEL = { kind: "alerts", uid: "msg_1", alerts: [ALERT] } as const;

test("a mail contains each alert with its link, in the channel's language, under the message's own id", async () => {
  const mails: Mail[] = [];
  const send = async (mail: Mail) => void mails.push(mail);
  const sent = await sender({ mailer: { send } }).send(channel({}), PARCEL);
  assert.deepEqual(sent, { kind: "sent" });
  const [mail] = mails;
  assert.ok(mail);
  assert.equal(mail.messageId, "<msg_1@exit.example>");
  assert.equal(
    mail.subject,
    `Alerta de salida: “TESTBcc[:] x[@]y[.]example” (${MINT.slice(0, 4)}…${MINT.slice(-4)})`,
  );
  assert.match(mail.text, /5 SOL ya no se puede vender entera, antes 3,0 %/);
  assert.match(mail.text, /una retirada de liquidez 50 % \(slot 9\)/);
  assert.ok(mail.text.includes(`https://exit.example/token/${MINT}`));
});

test("of more alerts than a chat's message holds, the others are counted, and none is cut", async () => {
  const alerts = Array.from({ length: 30 }, (_, place) => ({ ...ALERT, mint: poolAddress(place) }));
  const texts: string[] = [];
  const telegram = {
    send: async (_chat: string, text: string) =>
      ({ kind: "sent", text: texts.push(text) }) as const,
  };
  const chat = channel({ kind: "telegram", target: "1", language: "en" });
  for (const some of [alerts, alerts.slice(0, 3)])
    await sender({ telegram }).send(chat, { ...PARCEL, alerts: some });
  const [cut = "", whole = ""] = texts;
  const shown = cut.match(/\/token\//g)?.length ?? 0;
  assert.ok(cut.length <= 4_000 && cut.length > 3_000 && shown < 30, `${cut.length}`);
  const end = "Alerts and their channels: https://exit.example/alerts";
  assert.ok(cut.endsWith(`\n\nAnd ${30 - shown} more alerts.\n\n${end}`), cut.slice(-200));
  assert.equal(whole.match(/\/token\//g)?.length, 3);
  assert.ok(whole.endsWith(end) && !whole.includes("more alert"));
});

test("a mail that is not sent within half a minute is a failure, and is given up", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const signals: (AbortSignal | undefined)[] = [];
  const send = (_mail: Mail, signal?: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  };
  const sent = sender({ mailer: { send } }).send(channel({}), PARCEL);
  t.mock.timers.tick(30_000);
  assert.deepEqual(await sent, {
    kind: "failed",
    error: "The mail server did not answer in time.",
  });
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [true],
  );
});

test("a mail that the server refuses is a failure in its own words", async () => {
  const send = () => Promise.reject(new Error("the mail server did not take the mail: EENVELOPE"));
  const sent = await sender({ mailer: { send } }).send(channel({}), PARCEL);
  assert.deepEqual(sent, {
    kind: "failed",
    error: "the mail server did not take the mail: EENVELOPE",
  });
});

test("a webhook gets the alerts as the feed has them, with a link, signed", async () => {
  const calls: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = [];
  const post: ChannelSenderDeps["webhooks"]["post"] = async (url, headers, body) => {
    calls.push({ url, headers, body: String(body) });
    return { kind: "sent" };
  };
  const hook = channel({ kind: "webhook", target: "https://hook.example/", language: "en" });
  await sender({ webhooks: { post } }).send(hook, PARCEL);
  const [call] = calls;
  const { type, data } = JSON.parse(call?.body ?? "");
  assert.deepEqual(
    [call?.url, type, data.alerts.length],
    ["https://hook.example/", "exit.alerts", 1],
  );
  const { id, kind, slippage_after_pct, url } = data.alerts[0];
  assert.deepEqual(
    [id, kind, slippage_after_pct, url],
    ["7", "no-exit", null, `https://exit.example/token/${MINT}`],
  );
  assert.equal(call?.headers["webhook-id"], "msg_1");
  assert.match(call?.headers["webhook-signature"] ?? "", /^v1,/);
});

test("a webhook message has the time of its newest alert, however late an attempt is", async () => {
  const calls: { seconds: string | undefined; body: string }[] = [];
  const post: ChannelSenderDeps["webhooks"]["post"] = async (_url, headers, body) => {
    calls.push({ seconds: headers["webhook-timestamp"], body: String(body) });
    return { kind: "failed", error: "It answered 500." };
  };
  const hook = channel({ kind: "webhook", target: "https://hook.example/", language: "en" });
  const alerts = [someUserAlert({ createdAtMs: 1_700 }), someUserAlert({ createdAtMs: 900 })];
  for (const nowMs of [2_000, 86_402_000])
    await sender({ webhooks: { post }, clock: { nowMs: () => nowMs } }).send(hook, {
      ...PARCEL,
      alerts,
    });
  const [first, last] = calls;
  assert.deepEqual([first?.seconds, last?.seconds], ["2", "86402"]);
  assert.equal(JSON.parse(first?.body ?? "").timestamp, "1970-01-01T00:00:01.700Z");
  assert.equal(last?.body, first?.body);
});

test("a push message names the token, leads to its page, and fits a push service's limit", async () => {
  const texts: string[] = [];
  const push: ChannelSenderDeps["push"] = {
    publicKey: "key",
    async send(_subscription, text) {
      texts.push(text);
      return { kind: "sent" };
    },
  };
  const { subscription } = pushSubscriber("https://push.example/send");
  const browser = channel({ kind: "push", target: subscription, language: "en" });
  const others = Array.from({ length: 50 }, (_, index) => ({ ...ALERT, mint: poolAddress(index) }));
  assert.deepEqual(await sender({ push }).send(browser, PARCEL), { kind: "sent" });
  await sender({ push }).send(browser, { ...PARCEL, alerts: others });
  await sender({ push }).send(browser, { kind: "code", uid: "c", code: "ab12", validMinutes: 30 });
  const [one, many, code] = texts.map((text) => JSON.parse(text));
  assert.match(one.title, /^Exit alert: “TESTBcc/);
  assert.match(one.body, /5 SOL can't be sold whole any more/);
  assert.deepEqual([one.path, one.tag, one.verify], [`/token/${MINT}`, "msg_1", undefined]);
  assert.equal(many.path, "/alerts");
  assert.deepEqual(code.verify, { id: "1", code: "ab12" });
  for (const text of texts) assert.ok(Buffer.byteLength(text) < 3_900, String(text.length));
  const failed = await sender({}).send(browser, PARCEL);
  assert.equal(failed.kind, "failed", "without a key nothing is sent");
});

test("the bot sends plain text to the chat, and its errors hold no token", async (t) => {
  const calls: [string | undefined, { chat_id: string; text: string }][] = [];
  let status = 200;
  const server = createServer((request, response) => {
    request.setEncoding("utf8").once("data", (body: string) => {
      calls.push([request.url, JSON.parse(body)]);
      response.writeHead(status, { location: "http://127.0.0.1:1/" }).end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, () => server.close());
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const apiUrl = `http://127.0.0.1:${address.port}`;
  const telegram = createTelegramBot({ botToken: "123:SECRET", apiUrl });
  const chat = channel({ kind: "telegram", target: "-100200" });
  assert.deepEqual(await sender({ telegram }).send(chat, PARCEL), { kind: "sent" });
  const [[path, body] = []] = calls;
  assert.deepEqual([path, body?.chat_id], ["/bot123:SECRET/sendMessage", "-100200"]);
  assert.ok(body?.text.includes(`https://exit.example/token/${MINT}`));
  status = 302;
  const redirected = await sender({ telegram }).send(chat, PARCEL);
  assert.deepEqual(redirected, { kind: "failed", error: "Telegram answered 302." });
  status = 400;
  const refused = await sender({ telegram }).send(chat, PARCEL);
  assert.deepEqual(refused, { kind: "refused", error: "Telegram answered 400." });
  const gone = createTelegramBot({ botToken: "123:SECRET", apiUrl: "http://127.0.0.1:1" });
  const failed = await sender({ telegram: gone }).send(chat, PARCEL);
  assert.deepEqual(failed, { kind: "failed", error: "Telegram could not be reached." });
});
