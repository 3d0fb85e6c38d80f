import assert from "node:assert/strict";
import { test } from "node:test";
import { eachApp, NO_OBJECTS, oneApp, refusal } from "#test/support/api/app.ts";

const URL = "/api/oracle/register";
const JSON_TYPE = { "content-type": "application/json" };

test("register answers a known and an unknown address with the same bytes, and never a key", async (t) => {
  await eachApp(t, async ({ send, signIn, users }) => {
    await signIn("ana@example.com");
    const known = await send("POST", URL, { payload: { email: "ana@example.com" } });
    const unknown = await send("POST", URL, { payload: { email: "eva@example.com" } });
    assert.equal(known.statusCode, 200);
    assert.deepEqual(known.rawPayload, unknown.rawPayload);
    const headers = ({ headers }: typeof known) => ({
      ...headers,
      date: "",
      "x-request-id": "",
    });
    assert.deepEqual(headers(known), headers(unknown));
    assert.equal(known.json().status, "registered");
    assert.deepEqual(Object.keys(known.json()), ["status", "message"]);
    await users.outbox.runDue();
    assert.ok(users.mails.some(({ to }) => to === "eva@example.com"));
  });
});

test("register makes a free account that can sign in with the code it was sent", async (t) => {
  await eachApp(t, async ({ send, signIn }) => {
    await send("POST", URL, { payload: { email: "Ana@Example.com" } });
    const { cookie } = await signIn("ana@example.com");
    const me = await send("GET", "/api/account/me", { headers: { cookie } });
    assert.equal(me.json().email, "ana@example.com");
    assert.equal(me.json().tier, "free");
  });
});

test("register refuses a body without a valid address, and stores nothing", async (t) => {
  await oneApp(t, async ({ send, store, users }) => {
    for (const [what, payload, expected] of NO_OBJECTS) {
      users.advance(60_000);
      const response = await send("POST", URL, { payload, headers: JSON_TYPE });
      assert.deepEqual(refusal(response), expected, what);
    }
    for (const email of [undefined, null, 7, "", "a", ["a@b.co"], { a: 1 }, "a@b.co\r\nBcc: x"]) {
      users.advance(60_000);
      const response = await send("POST", URL, { payload: { email } });
      assert.deepEqual(refusal(response), [400, "invalid_email"], JSON.stringify(email));
    }
    assert.deepEqual(await store.db.selectFrom("sign_in_requests").selectAll().execute(), []);
  });
});

test("register takes JSON alone, and 16 KiB of it", async (t) => {
  await oneApp(t, async ({ send }) => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml"]) {
      const headers = { "content-type": type };
      const response = await send("POST", URL, { payload: "email=a@b.co", headers });
      assert.deepEqual(refusal(response), [415, "unsupported_media_type"], type);
    }
    const email = "a@example.com";
    const padding = "x".repeat(16 * 1024 - JSON.stringify({ email, padding: "" }).length);
    const full = await send("POST", URL, { payload: { email, padding } });
    assert.equal(full.statusCode, 200, "unknown fields are ignored");
    const over = await send("POST", URL, { payload: { email, padding: `${padding}x` } });
    assert.deepEqual(refusal(over), [413, "body_too_large"]);
  });
});

test("register is throttled by address, with Retry-After, and has no other method", async (t) => {
  await oneApp(t, async ({ send, users }) => {
    const from = (address: string) =>
      send("POST", URL, {
        payload: { email: "a@example.com" },
        headers: { "x-forwarded-for": address },
      });
    for (let call = 0; call < 30; call++) assert.equal((await from("203.0.113.9")).statusCode, 200);
    users.advance(15_000);
    const refused = await from("203.0.113.9");
    assert.deepEqual(refusal(refused), [429, "rate_limit_exceeded"]);
    assert.equal(refused.headers["retry-after"], "45");
    assert.equal((await from("203.0.113.10")).statusCode, 200);
    users.advance(45_000);
    assert.equal((await from("203.0.113.9")).statusCode, 200);
    const read = await send("GET", URL);
    assert.deepEqual(refusal(read), [405, "method_not_allowed"]);
    assert.equal(read.headers.allow, "POST");
  });
});
