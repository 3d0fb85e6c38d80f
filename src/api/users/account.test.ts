import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEmailAddress } from "#src/users/email-address.ts";
import { eachApp, oneApp, refusal } from "#test/support/api/app.ts";
import { ownTables } from "#test/support/databases/databases.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";

const TOKEN = `/api/token/${SOME_MINT}/exitability`;
const ROUTES = [
  ["GET", "/api/account/me"],
  ["GET", "/api/account/export"],
  ["GET", "/api/account/sessions"],
  ["GET", "/api/account/keys"],
  ["POST", "/api/account/keys"],
  ["POST", "/api/account/keys/rotate"],
  ["DELETE", "/api/account/keys/x"],
  ["DELETE", "/api/account/sessions"],
  ["DELETE", "/api/account/sessions/x"],
  ["DELETE", "/api/account"],
  ["POST", "/api/auth/sign-out"],
] as const;

test("everything about an account needs a session: no key, no forged token, no bad body before it", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const made = await send("POST", "/api/account/keys", { headers: { cookie, origin } });
    const [name = "", token = ""] = cookie.split("=");
    for (const [method, url] of ROUTES)
      for (const headers of [
        {},
        { "x-api-key": made.json().key },
        { authorization: "Bearer nonsense" },
        { authorization: "Bearer " },
        { authorization: `Bearer ${decodeURIComponent(token).split(".")[0]}` },
        { cookie: `${name}=${token.slice(0, -8)}AAAAAAAA`, origin },
        { cookie: `${name}=`, origin },
        { "content-type": "application/json" },
      ]) {
        const payload = method === "POST" && "content-type" in headers ? { payload: "{" } : {};
        const response = await send(method, url, { headers, ...payload });
        assert.deepEqual(refusal(response), [401, "unauthorized"], `${method} ${url}`);
      }
  });
});

test("a page without a session gets 204 for its account; no credential, and no other caller, does", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const page = { "sec-fetch-site": "same-origin" };
    const me = (headers: Record<string, string>) => send("GET", "/api/account/me", { headers });
    const { cookie, accessToken } = await signIn("ana@example.com");
    for (const headers of [page, { ...page, cookie: "theme=dark" }]) {
      const { statusCode, body } = await me(headers);
      assert.deepEqual([statusCode, body], [204, ""]);
    }
    assert.equal((await me({ ...page, cookie })).json().email, "ana@example.com");
    const refused: readonly Record<string, string>[] = [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "none" },
      { ...page, authorization: `Bearer ${accessToken}x` },
    ];
    for (const headers of refused)
      assert.deepEqual(refusal(await me(headers)), [401, "unauthorized"]);
    const watchlist = await send("GET", "/api/oracle/watchlist", { headers: page });
    assert.deepEqual(refusal(watchlist), [401, "unauthorized"], "of the account alone");
  });
});

test("a write with the cookie has to come from the dashboard itself", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { cookie, origin, accessToken } = await signIn("ana@example.com");
    const attempt = async (headers: Record<string, string>) =>
      refusalOr(await send("DELETE", "/api/account/keys/x", { headers }));
    const refused = [403, "forbidden_origin"];
    const reached = [404, "not_found"];
    for (const [headers, expected] of [
      [{ cookie }, refused],
      [{ cookie, origin: "https://evil.example" }, refused],
      [{ cookie, origin: "null" }, refused],
      [{ cookie, origin: `${origin}.evil.example` }, refused],
      [{ cookie, origin: "http://127.0.0.1:8081" }, refused],
      [{ cookie, "sec-fetch-site": "cross-site" }, refused],
      [{ cookie, "sec-fetch-site": "same-site" }, refused],
      [{ cookie, "sec-fetch-site": "none" }, refused],
      [{ cookie, origin, "sec-fetch-site": "cross-site" }, refused],
      [{ cookie, origin: "https://evil.example", "sec-fetch-site": "same-origin" }, refused],
      [{ cookie, origin: "http://localhost:3000", host: "localhost:9999" }, refused],
      [{ cookie, origin: "http://evil.example", host: "evil.example" }, refused],
      [{ cookie, origin: "http://localhost:3000", host: "localhost:3000" }, reached],
      [{ cookie, origin }, reached],
      [{ cookie, "sec-fetch-site": "same-origin" }, reached],
      [{ cookie, origin, "sec-fetch-site": "same-origin" }, reached],
      [{ authorization: `Bearer ${accessToken}` }, reached],
      [{ authorization: `Bearer ${accessToken}`, origin: "https://elsewhere.example" }, reached],
    ] as const)
      assert.deepEqual(
        await attempt(headers),
        expected,
        JSON.stringify({ ...headers, cookie: "" }),
      );
  });
});

test("an account shows its tier, its limits and what it used", async (t) => {
  await eachApp(t, async ({ send, signIn, users }) => {
    users.setNow(Date.UTC(2026, 10, 20, 12));
    const { accessToken } = await signIn("ana@example.com");
    const headers = { authorization: `Bearer ${accessToken}` };
    await send("GET", TOKEN, { headers });
    const me = (await send("GET", "/api/account/me", { headers })).json();
    assert.match(me.user_id, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    assert.deepEqual(
      { ...me, user_id: "" },
      {
        user_id: "",
        email: "ana@example.com",
        tier: "free",
        created_at: "2026-11-20T12:00:00.000Z",
        limits: { daily_queries: 10, watchlist_tokens: 1, fair_use_per_minute: 10 },
        usage: {
          policy: "day",
          limit: 10,
          used: 1,
          remaining: 9,
          resets_at: "2026-11-21T00:00:00.000Z",
        },
      },
    );
  });
});

test("sessions are listed, and each can be ended: another user's is not there", async (t) => {
  await eachApp(t, async ({ send, signIn, users }) => {
    const first = await signIn("ana@example.com");
    users.advance(61_000);
    const second = await signIn("ana@example.com");
    const other = await signIn("eva@example.com");
    const list = await send("GET", "/api/account/sessions", { headers: { cookie: second.cookie } });
    const items: { id: string; is_current: boolean }[] = list.json().items;
    assert.equal(items.length, 2);
    assert.equal(items.filter((item) => item.is_current).length, 1);
    const old = items.find((item) => !item.is_current);
    const end = (headers: Record<string, string>) =>
      send("DELETE", `/api/account/sessions/${old?.id}`, { headers });
    const { cookie, origin } = other;
    assert.deepEqual(refusal(await end({ cookie, origin })), [404, "not_found"]);
    const ended = await end({ cookie: second.cookie, origin });
    assert.deepEqual(ended.json(), { status: "ended" });
    const me = (held: string) => send("GET", "/api/account/me", { headers: { cookie: held } });
    assert.equal((await me(first.cookie)).statusCode, 401);
    assert.equal((await me(second.cookie)).statusCode, 200);
    const rest = await send("DELETE", "/api/account/sessions", {
      headers: { cookie: second.cookie, origin },
    });
    assert.deepEqual(rest.json(), { status: "ended", ended: 0 });
    assert.equal((await me(other.cookie)).statusCode, 200);
  });
});

test("a session of a program that does not name itself has no name", async (t) => {
  await eachApp(t, async ({ send, signIn, users }) => {
    await signIn("ana@example.com");
    users.advance(61_000);
    const email = parseEmailAddress("ana@example.com");
    assert.ok(email);
    await send("POST", "/api/auth/code", { payload: { email } });
    await users.outbox.runDue();
    const payload = { email, code: users.lastCode(email) };
    const headers = { "user-agent": "" };
    const { access_token } = (await send("POST", "/api/auth/sign-in", { payload, headers })).json();
    const authorization = `Bearer ${access_token}`;
    const list = await send("GET", "/api/account/sessions", { headers: { authorization } });
    const agents = list.json().items.map(({ user_agent }: { user_agent: unknown }) => user_agent);
    assert.deepEqual(agents, [null, "lightMyRequest"]);
  });
});

test("a user can take along everything that is kept, and none of another's", async (t) => {
  await eachApp(t, async ({ send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    await signIn("eva@example.com");
    for (const email of ["ana@example.com", "eva@example.com"]) {
      await send("POST", "/api/oracle/waitlist", { payload: { email, origen: "landing" } });
      const payload = { event_name: "click_pagar", email, payload: { plan: email } };
      const headers = email.startsWith("ana") ? { cookie, origin } : {};
      await send("POST", "/api/oracle/event", { payload, headers });
    }
    const made = await send("POST", "/api/account/keys", { headers: { cookie, origin } });
    await send("GET", TOKEN, { headers: { "x-api-key": made.json().key } });
    const response = await send("GET", "/api/account/export", { headers: { cookie } });
    const data = response.json();
    assert.match(String(response.headers["content-disposition"]), /^attachment;/);
    assert.equal(data.user.email, "ana@example.com");
    assert.equal(data.sessions.length, 1);
    assert.equal(data.api_keys.length, 1);
    assert.equal(data.daily_usage[0].used, 1);
    assert.equal(data.waitlist.origen, "landing");
    assert.deepEqual(data.events[0].payload, { plan: "ana@example.com" });
    assert.ok(!response.body.includes("eva@"));
    assert.ok(!response.body.includes(made.json().key), "a key is shown once");
  });
});

test("deleting an account deletes everything kept about it, and ends its sessions and keys", async (t) => {
  await eachApp(t, async ({ send, signIn, store }) => {
    const { cookie, origin, accessToken } = await signIn("ana@example.com");
    const other = await signIn("eva@example.com");
    const payload = { event_name: "click_pagar", email: "ana@example.com", payload: { a: "ana" } };
    await send("POST", "/api/oracle/event", { payload });
    await send("POST", "/api/oracle/waitlist", { payload: { email: "ana@example.com" } });
    const made = await send("POST", "/api/account/keys", { headers: { cookie, origin } });
    const key = { "x-api-key": made.json().key };
    assert.equal((await send("GET", TOKEN, { headers: key })).statusCode, 200);
    const channel = { kind: "email", target: "ana-too@example.com" };
    await send("POST", "/api/account/channels", { payload: channel, headers: { cookie, origin } });
    const sent = await store.db.selectFrom("codes_sent").selectAll().orderBy("receiver").execute();
    assert.equal(sent.length, 3, "of two sign-ins and the channel");
    const me = await send("GET", "/api/account/me", { headers: { cookie } });
    const gone = await send("DELETE", "/api/account", { headers: { cookie, origin } });
    assert.deepEqual(gone.json(), { status: "deleted" });
    for (const headers of [{ cookie }, { authorization: `Bearer ${accessToken}` }])
      assert.equal((await send("GET", "/api/account/me", { headers })).statusCode, 401);
    assert.equal((await send("GET", TOKEN, { headers: key })).statusCode, 401);
    const tables = (await ownTables(store)).map(({ name }) => name);
    for (const table of tables) {
      if (["schema_migrations", "sqlite_sequence", "access_changes"].includes(table)) continue;
      const rows = await store.db
        .selectFrom(table as "users")
        .selectAll()
        .execute();
      const text = JSON.stringify(rows, (_key, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
      assert.ok(!text.includes("ana"), `${table}: ${text}`);
      assert.ok(!text.includes(me.json().user_id), `${table}: ${text}`);
    }
    const kept = await store.db.selectFrom("codes_sent").selectAll().orderBy("receiver").execute();
    assert.deepEqual(kept, sent, "a deletion does not reset the limit of mails");
    const events = await store.db.selectFrom("events").select("event_name").execute();
    assert.equal(events.length, 1, "the funnel's sums stay");
    const eva = await send("GET", "/api/account/me", { headers: { cookie: other.cookie } });
    assert.equal(eva.statusCode, 200);
  });
});

function refusalOr(response: { readonly statusCode: number; readonly body: string }) {
  return response.statusCode < 400 ? [response.statusCode] : refusal(response);
}
