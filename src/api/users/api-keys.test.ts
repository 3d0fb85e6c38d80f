import assert from "node:assert/strict";
import { test } from "node:test";
import { parseUserId } from "#src/store/user-id.ts";
import { setUserTier } from "#src/store/users.ts";
import { newApiKeyText } from "#src/users/api-key-text.ts";
import { eachApp, oneApp, refusal } from "#test/support/api/app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";

const KEYS = "/api/account/keys";
const TOKEN = `/api/token/${SOME_MINT}/exitability`;

test("a key is shown once, identified by its hint, rotated with overlap, and revoked at once", async (t) => {
  await eachApp(t, async ({ send, signIn, users }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const headers = { cookie, origin };
    const ask = async (key: string) =>
      (await send("GET", TOKEN, { headers: { "x-api-key": key } })).statusCode;
    const nothing = await send("POST", `${KEYS}/rotate`, { headers });
    assert.deepEqual(refusal(nothing), [404, "not_found"]);

    const made = await send("POST", KEYS, { headers });
    assert.equal(made.statusCode, 201);
    assert.match(made.json().key, /^exi_[0-9A-Za-z]{32}$/);
    assert.equal(made.headers["cache-control"], "no-store");
    assert.equal(await ask(made.json().key), 200);
    assert.deepEqual(refusal(await send("POST", KEYS, { headers })), [409, "duplicate"]);

    const rotated = await send("POST", `${KEYS}/rotate`, { headers });
    assert.equal(rotated.statusCode, 201);
    assert.deepEqual([await ask(made.json().key), await ask(rotated.json().key)], [200, 200]);
    const list = await send("GET", KEYS, { headers });
    const shown = list.json().items;
    assert.deepEqual(
      shown
        .map(({ hint, status, used_today }: Record<string, unknown>) => [hint, status, used_today])
        .sort(),
      [
        [made.json().hint, "expiring", 2],
        [rotated.json().hint, "active", 1],
      ].sort(),
    );
    assert.ok(!list.body.includes(made.json().key));

    const revoked = await send("DELETE", `${KEYS}/${rotated.json().id}`, { headers });
    assert.deepEqual(revoked.json(), { status: "revoked" });
    assert.deepEqual([await ask(made.json().key), await ask(rotated.json().key)], [200, 401]);
    users.advance(24 * 3_600_000);
    assert.equal(await ask(made.json().key), 401);
  });
});

test("an unknown, malformed, mistyped or revoked key is refused, never taken for anonymous", async (t) => {
  await eachApp(t, async ({ send, signIn, store }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const made = await send("POST", KEYS, { headers: { cookie, origin } });
    const key: string = made.json().key;
    await send("DELETE", `${KEYS}/${made.json().id}`, { headers: { cookie, origin } });
    for (const bad of [
      key,
      newApiKeyText("exi"),
      "",
      "x",
      key.slice(1),
      `${key} `,
      "x".repeat(4_000),
    ]) {
      const response = await send("GET", TOKEN, { headers: { "x-api-key": bad, cookie } });
      assert.deepEqual(refusal(response), [401, "unauthorized"], bad.slice(0, 50));
      for (const header of [
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "ratelimit",
        "ratelimit-policy",
      ])
        assert.ok(response.headers[header] !== undefined, header);
    }
    const counted = store.db.selectFrom("daily_usage").where("subject", "not like", "mails%");
    assert.deepEqual(await counted.selectAll().execute(), []);
  });
});

test("a key that is sent as an access token is refused, and the answer names the right header", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const made = await send("POST", "/api/account/keys", { headers: { cookie, origin } });
    const authorization = `Bearer ${made.json().key}`;
    const response = await send("GET", TOKEN, { headers: { authorization } });
    assert.equal(response.statusCode, 401);
    assert.match(response.json().message, /x-api-key/);
  });
});

test("queries by key, cookie and bearer token count together, 10 a day, then 429", async (t) => {
  await eachApp(t, async ({ send, signIn }) => {
    const { cookie, origin, accessToken } = await signIn("ana@example.com");
    const made = await send("POST", KEYS, { headers: { cookie, origin } });
    const credentials = [
      { "x-api-key": made.json().key },
      { authorization: `Bearer ${accessToken}` },
    ];
    for (let call = 1; call <= 10; call++) {
      const response = await send("GET", TOKEN, { headers: credentials[call % 2] ?? {} });
      assert.equal(response.headers["x-ratelimit-limit"], "10");
      assert.equal(response.headers["x-ratelimit-remaining"], String(10 - call));
    }
    for (const headers of credentials) {
      const response = await send("GET", TOKEN, { headers });
      assert.deepEqual(refusal(response), [429, "rate_limit_exceeded"]);
      assert.equal(response.headers["retry-after"], "86400");
      const { used, limit, register_url } = response.json();
      assert.deepEqual([used, limit, register_url], [10, 10, null]);
    }
    assert.equal((await send("GET", TOKEN)).statusCode, 200, "the address has its own count");
  });
});

test("200 parallel requests with a key on a limit of 10 pass exactly 10", async (t) => {
  await eachApp(t, async ({ send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const made = await send("POST", KEYS, { headers: { cookie, origin } });
    const headers = { "x-api-key": made.json().key };
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => send("GET", TOKEN, { headers })),
    );
    const statuses = answers.map(({ statusCode }) => statusCode);
    assert.equal(statuses.filter((status) => status === 200).length, 10);
    assert.equal(statuses.filter((status) => status === 429).length, 190);
  });
});

test("at midnight UTC the count starts again", async (t) => {
  await oneApp(t, async ({ send, users }) => {
    users.setNow(Date.UTC(2026, 10, 20, 23, 58));
    for (let call = 0; call < 5; call++) assert.equal((await send("GET", TOKEN)).statusCode, 200);
    users.setNow(Date.UTC(2026, 10, 20, 23, 59, 59, 999));
    assert.equal((await send("GET", TOKEN)).statusCode, 429);
    users.setNow(Date.UTC(2026, 10, 21));
    const response = await send("GET", TOKEN);
    assert.deepEqual([response.statusCode, response.headers["x-ratelimit-remaining"]], [200, "4"]);
  });
});

test("a tier without a daily gate gets its limits per minute, and beyond them the time of the next window", async (t) => {
  await eachApp(t, async ({ send, signIn, store, users }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const me = await send("GET", "/api/account/me", { headers: { cookie } });
    const userId = parseUserId(me.json().user_id);
    assert.ok(userId);
    await setUserTier(store.db, { userId, tier: "degen" }, users.clock.nowMs());
    users.advance(16_000);
    const made = await send("POST", KEYS, { headers: { cookie, origin } });
    const headers = { "x-api-key": made.json().key };
    for (let call = 1; call <= 120; call++) {
      const response = await send("GET", TOKEN, { headers });
      assert.equal(response.headers["x-ratelimit-remaining"], String(120 - call));
    }
    users.advance(20_000);
    const refused = await send("GET", TOKEN, { headers });
    assert.deepEqual(refusal(refused), [429, "rate_limit_exceeded"]);
    assert.equal(refused.headers["retry-after"], "40");
    users.advance(40_000);
    assert.equal((await send("GET", TOKEN, { headers })).statusCode, 200);
  });
});

test("no preflight allows the key's header from another origin", async (t) => {
  await oneApp(t, async ({ send, app }) => {
    const preflight = await app.inject({
      method: "OPTIONS",
      url: TOKEN,
      headers: {
        origin: "https://elsewhere.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "x-api-key",
      },
    });
    const allowed = String(preflight.headers["access-control-allow-headers"] ?? "").toLowerCase();
    assert.ok(!allowed.includes("x-api-key") && !allowed.includes("*"), allowed);
    const answer = await send("GET", TOKEN, { headers: { origin: "https://elsewhere.example" } });
    assert.notEqual(answer.headers["access-control-allow-credentials"], "true");
  });
});
