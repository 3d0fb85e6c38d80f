import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { pushSubscriber, VAPID_KEY } from "#test/support/users/push-subscriber.ts";
import { createPushSender, parseSubscription } from "./push.ts";
import { vapidPublicKey } from "./vapid-key.ts";
import type { Sent } from "./webhook-sender.ts";

const ENDPOINT = "https://push.example/send/abc";

function sender(answer: Sent) {
  const calls: { url: string; headers: Readonly<Record<string, string>>; body: Buffer }[] = [];
  const post = async (url: string, headers: Readonly<Record<string, string>>, body: unknown) => {
    assert.ok(Buffer.isBuffer(body));
    calls.push({ url, headers, body });
    return answer;
  };
  const settings = { privateKey: VAPID_KEY, contact: "mailto:operator@exit.example" };
  return { push: createPushSender(settings, { post }), calls };
}

test("only the subscriber can read a message, and its push service can check who sent it", async () => {
  const { push, calls } = sender({ kind: "sent" });
  const browser = pushSubscriber(ENDPOINT);
  const subscription = parseSubscription(browser.subscription);
  assert.ok(subscription !== null);
  assert.deepEqual(await push.send(subscription, "¿Salida? 5 SOL"), { kind: "sent" });
  const [call] = calls;
  assert.ok(call !== undefined);
  assert.equal(call.url, ENDPOINT);
  assert.equal(call.headers["content-encoding"], "aes128gcm");
  assert.equal(call.headers["urgency"], "high");
  assert.equal(call.headers["ttl"], "3600");
  assert.equal(call.body.includes("SOL"), false);
  assert.equal(browser.open(call.body), "¿Salida? 5 SOL");
  assert.throws(() => pushSubscriber(ENDPOINT).open(call.body), "another browser can't");

  const [, token, key] = /^vapid t=(\S+), k=(\S+)$/.exec(call.headers["authorization"] ?? "") ?? [];
  assert.equal(key, push.publicKey);
  const [head, claims, signature] = (token ?? "").split(".");
  const point = Buffer.from(push.publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString("base64url"),
  );
  assert.ok(x !== undefined && y !== undefined);
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  const bytes = Buffer.from(signature ?? "", "base64url");
  assert.ok(verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, bytes));
  const { aud, sub } = JSON.parse(Buffer.from(claims ?? "", "base64url").toString());
  assert.deepEqual([aud, sub], ["https://push.example", "mailto:operator@exit.example"]);
});

test("an ended subscription is distinguished from a failing push service", async () => {
  const subscription = parseSubscription(pushSubscriber(ENDPOINT).subscription);
  assert.ok(subscription !== null);
  for (const [status, kind] of [
    [404, "gone"],
    [410, "gone"],
    [403, "failed"],
    [429, "failed"],
    [503, "failed"],
  ] as const) {
    const { push } = sender({ kind: "failed", error: "It answered.", status });
    assert.equal((await push.send(subscription, "x")).kind, kind, String(status));
  }
});

test("only what a browser subscribes with is a subscription", () => {
  const good = JSON.parse(pushSubscriber(ENDPOINT).subscription);
  assert.deepEqual(parseSubscription(JSON.stringify(good)), {
    endpoint: ENDPOINT,
    keys: good.keys,
  });
  const offCurve = Buffer.alloc(65, 4).toString("base64url");
  for (const [what, bad] of [
    ["not JSON", "{"],
    ["no object", "null"],
    ["no endpoint", { ...good, endpoint: undefined }],
    ["no URL", { ...good, endpoint: "push.example" }],
    ["a long endpoint", { ...good, endpoint: `${ENDPOINT}/${"a".repeat(1_024)}` }],
    ["no keys", { ...good, keys: null }],
    ["a short key", { ...good, keys: { ...good.keys, p256dh: "BA" } }],
    ["a key off the curve", { ...good, keys: { ...good.keys, p256dh: offCurve } }],
    ["a short secret", { ...good, keys: { ...good.keys, auth: "AAAA" } }],
    ["a secret that is a number", { ...good, keys: { ...good.keys, auth: 7 } }],
  ] as const) {
    const text = typeof bad === "string" ? bad : JSON.stringify(bad);
    assert.equal(parseSubscription(text), null, what);
  }
});

test("a VAPID key is 32 bytes of base64url that are a private key of P-256", () => {
  assert.equal(vapidPublicKey(VAPID_KEY)?.length, 87);
  for (const bad of ["", "abc", `${VAPID_KEY}A`, "A".repeat(43), "_".repeat(43)])
    assert.equal(vapidPublicKey(bad), null, bad);
});
