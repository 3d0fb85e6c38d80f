import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { eachApp, NO_OBJECTS, oneApp, refusal } from "#test/support/api/app.ts";
import { TEST_PUBLIC_URL } from "#test/support/users/users.ts";

const ME = "/api/account/me";
const JSON_TYPE = { "content-type": "application/json" };

test("a code from the mailbox signs in by cookie and by bearer token, and signing out ends both", async (t) => {
  await eachApp(t, async ({ send, signIn }) => {
    const { cookie, origin, accessToken } = await signIn("ana@example.com");
    const bearer = { authorization: `Bearer ${accessToken}` };
    for (const headers of [{ cookie }, bearer])
      assert.equal((await send("GET", ME, { headers })).json().email, "ana@example.com");
    const out = await send("POST", "/api/auth/sign-out", { headers: { cookie, origin } });
    assert.deepEqual(out.json(), { status: "signed_out" });
    assert.match(String(out.headers["set-cookie"]), /^exitability\.session_token=; Max-Age=0;/);
    for (const headers of [{ cookie }, bearer])
      assert.deepEqual(refusal(await send("GET", ME, { headers })), [401, "unauthorized"]);
  });
});

test("the cookie is out of scripts' reach, and Secure where the service is", async (t) => {
  await oneApp(t, async ({ send, users }) => {
    const email = parseEmailAddress("ana@example.com");
    assert.ok(email);
    await send("POST", "/api/auth/code", { payload: { email } });
    await users.outbox.runDue();
    const payload = { email, code: users.lastCode(email) };
    const response = await send("POST", "/api/auth/sign-in", { payload });
    const cookie = String(response.headers["set-cookie"]);
    assert.match(cookie, /HttpOnly/);
    assert.match(cookie, /SameSite=Lax/);
    assert.equal(response.headers["cache-control"], "no-store");
    assert.deepEqual(Object.keys(response.json()), ["status", "access_token", "expires_at"]);
  });
});

test("a wrong, used or foreign code is refused, all alike", async (t) => {
  await eachApp(t, async ({ send, signIn, users }) => {
    await signIn("ana@example.com");
    const ana = parseEmailAddress("ana@example.com");
    assert.ok(ana);
    const used = users.lastCode(ana);
    const bodies = new Set<string>();
    for (const [email, code] of [
      ["ana@example.com", used],
      ["ana@example.com", "000000"],
      ["eva@example.com", used],
      ["ana@example.com", ""],
      ["ana@example.com", "1".repeat(5_000)],
      ["ana@example.com", "１２３４５６"],
    ]) {
      const response = await send("POST", "/api/auth/sign-in", { payload: { email, code } });
      assert.deepEqual(refusal(response), [401, "unauthorized"], `${email} ${code?.slice(0, 20)}`);
      assert.equal(response.headers["set-cookie"], undefined);
      bodies.add(response.body);
    }
    assert.equal(bodies.size, 1);
  });
});

test("signing in refuses bodies other than an object, invalid addresses and non-text values", async (t) => {
  await oneApp(t, async ({ send, users }) => {
    for (const url of ["/api/auth/code", "/api/auth/sign-in"]) {
      for (const [what, payload, expected] of NO_OBJECTS) {
        users.advance(60_000);
        const response = await send("POST", url, { payload, headers: JSON_TYPE });
        assert.deepEqual(refusal(response), expected, what);
      }
      const response = await send("POST", url, { payload: { email: "nobody", code: "1" } });
      assert.deepEqual(refusal(response), [400, "invalid_email"]);
    }
    const payload = { email: "a@example.com", code: 123456 };
    const response = await send("POST", "/api/auth/sign-in", { payload });
    assert.deepEqual(refusal(response), [400, "invalid_body"]);
  });
});

test("no other site can sign a browser in", async (t) => {
  await oneApp(t, async ({ send }) => {
    const payload = { email: "ana@example.com", code: "123456" };
    const headers = { origin: "https://evil.example" };
    const response = await send("POST", "/api/auth/sign-in", { payload, headers });
    assert.deepEqual(refusal(response), [403, "forbidden_origin"]);
  });
});

test("a refusal of the dashboard under another address names the one at which it works, and what sets that", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { cookie } = await signIn("ana@example.com");
    const headers = { cookie, origin: "http://192.168.1.5:8080", host: "192.168.1.5:8080" };
    const payload = { email: "ana@example.com", code: "123456" };
    for (const response of [
      await send("POST", "/api/auth/sign-in", { payload, headers }),
      await send("POST", "/api/account/keys", { headers }),
    ]) {
      assert.deepEqual(refusal(response), [403, "forbidden_origin"]);
      const { message } = response.json();
      assert.ok(message.includes(`${TEST_PUBLIC_URL} only`), message);
      assert.match(message, /PUBLIC_URL/);
    }
  });
});

test("guesses are throttled by address, over all mailboxes", async (t) => {
  await oneApp(t, async ({ send }) => {
    const answers = new Set<number>();
    for (let call = 0; call < 31; call++) {
      const payload = { email: `user${call}@example.com`, code: "123456" };
      answers.add((await send("POST", "/api/auth/sign-in", { payload })).statusCode);
    }
    assert.deepEqual([...answers], [401, 429]);
  });
});
