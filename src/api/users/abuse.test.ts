import assert from "node:assert/strict";
import { test } from "node:test";
import { deleteExpiredRows } from "#src/users/housekeeping.ts";
import { eachApp, oneApp, refusal } from "#test/support/api/app.ts";
import { closeAfter } from "#test/support/ending.ts";
import { PATIENCE_MS } from "#test/support/eventually.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";

const EVENT = "/api/oracle/event";

test("S6: events of third parties with a user's address are in no export, and lose it with the account", async (t) => {
  await eachApp(t, async ({ send, signIn, store }) => {
    const ana = await signIn("ana@example.com");
    const payload = { event_name: "click_pagar", email: "ana@example.com" };
    await send("POST", EVENT, { payload });
    const { cookie, origin } = ana;
    await send("POST", EVENT, {
      payload: { ...payload, event_name: "registro" },
      headers: { cookie, origin },
    });
    const exported = await send("GET", "/api/account/export", { headers: { cookie } });
    assert.deepEqual(
      exported.json().events.map(({ event_name }: { event_name: string }) => event_name),
      ["registro"],
    );
    await send("DELETE", "/api/account", { headers: { cookie, origin } });
    const rows = await store.db.selectFrom("events").select("email").execute();
    assert.deepEqual(
      rows.map(({ email }) => email),
      [null, null],
    );
  });
});

test("S6: a long payload is stored cut, old events are deleted, and exports are few and bounded", async (t) => {
  await oneApp(t, async ({ send, signIn, store, users }) => {
    const payload = { event_name: "registro", payload: { text: 'ñ\\ud83d"'.repeat(700) } };
    assert.equal((await send("POST", EVENT, { payload })).statusCode, 201);
    const { payload: kept } = await store.db
      .selectFrom("events")
      .select("payload")
      .executeTakeFirstOrThrow();
    assert.ok(Buffer.byteLength(kept ?? "") <= 2_048 && "cut" in JSON.parse(kept ?? ""));
    const row = { event_name: "registro", payload: kept, at_ms: BigInt(users.clock.nowMs()) };
    const utm = { utm_source: null, utm_medium: null, utm_campaign: null };
    const email = "ana@example.com";
    const rows = Array.from({ length: 500 }, () => ({ ...row, ...utm, email }));
    for (let block = 0; block < 3; block++)
      await store.db.insertInto("events").values(rows).execute();
    const get = async ({ cookie }: { cookie: string }) =>
      await send("GET", "/api/account/export", { headers: { cookie } });
    assert.equal((await get(await signIn(email))).json().events.length, 1_000);
    await deleteExpiredRows(store, users.clock.nowMs() + 401 * 86_400_000);
    const left = await store.db.selectFrom("events").select("id").execute();
    assert.equal(left.length, 0);
    const ana = await signIn(email);
    for (let export_ = 1; export_ < 20; export_++) assert.equal((await get(ana)).statusCode, 200);
    assert.deepEqual(refusal(await get(ana)), [429, "rate_limit_exceeded"]);
  });
});

test("M4: an id with a NUL is unknown on both databases", async (t) => {
  await eachApp(t, async ({ send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    for (const path of ["/api/account/keys/%00", "/api/account/sessions/%00"]) {
      const response = await send("DELETE", path, { headers: { cookie, origin } });
      assert.deepEqual(refusal(response), [404, "not_found"], path);
    }
  });
});

test("S7: a user rotates a key at most twenty times a day", async (t) => {
  await oneApp(t, async ({ send, signIn, users }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const post = (path: string) => send("POST", path, { headers: { cookie, origin } });
    for (let refused = 0; refused < 20; refused++)
      assert.deepEqual(refusal(await post("/api/account/keys/rotate")), [404, "not_found"]);
    await post("/api/account/keys");
    for (let rotation = 0; rotation < 20; rotation++)
      assert.equal((await post("/api/account/keys/rotate")).statusCode, 201);
    assert.deepEqual(refusal(await post("/api/account/keys/rotate")), [429, "rate_limit_exceeded"]);
    users.advance(86_400_000);
    assert.equal((await post("/api/account/keys/rotate")).statusCode, 201);
  });
});

test("S7: a user makes a key in place of a revoked one at most twenty times a day", async (t) => {
  await oneApp(t, async ({ send, signIn, users }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const headers = { cookie, origin };
    const replaceKey = async () => {
      const made = await send("POST", "/api/account/keys", { headers });
      await send("DELETE", `/api/account/keys/${made.json().id}`, { headers });
      return made;
    };
    const { id } = (await send("POST", "/api/account/keys", { headers })).json();
    for (let refused = 0; refused < 20; refused++) {
      const again = await send("POST", "/api/account/keys", { headers });
      assert.deepEqual(refusal(again), [409, "duplicate"]);
    }
    await send("DELETE", `/api/account/keys/${id}`, { headers });
    for (let creation = 1; creation < 20; creation++)
      assert.equal((await replaceKey()).statusCode, 201);
    const sent = users.mails.length;
    assert.deepEqual(refusal(await replaceKey()), [429, "rate_limit_exceeded"]);
    assert.equal(users.mails.length, sent);
    users.advance(86_400_000);
    assert.equal((await replaceKey()).statusCode, 201);
  });
});

test("S7: a user has at most ten streams of alerts", async (t) => {
  await oneApp(t, async ({ app, send, signIn }, t) => {
    const { cookie } = await signIn("ana@example.com");
    const base = await app.listen({ port: 0, host: "127.0.0.1" });
    const path = "/api/account/alerts/stream";
    const abort = new AbortController();
    closeAfter(t, () => abort.abort());
    // A response that nothing refers to may be collected, which closes its stream.
    const opened: Response[] = [];
    while (opened.length < 10)
      opened.push(await fetch(base + path, { headers: { cookie }, signal: abort.signal }));
    const refused = await send("GET", path, { headers: { cookie } });
    assert.deepEqual(refusal(refused), [429, "rate_limit_exceeded"]);
    for (const { status } of opened) assert.equal(status, 200);
  });
});

test("streams of tokens take no place of a user's streams of alerts", async (t) => {
  await oneApp(t, async ({ app, signIn }, t) => {
    const { cookie } = await signIn("ana@example.com");
    const base = await app.listen({ port: 0, host: "127.0.0.1" });
    const abort = new AbortController();
    closeAfter(t, () => abort.abort());
    const opened: Response[] = [];
    const open = async (path: string) => {
      const response = await fetch(base + path, { headers: { cookie }, signal: abort.signal });
      opened.push(response);
      return response.status;
    };
    while (opened.length < 10) assert.equal(await open(`/api/stream?mints=${SOME_MINT}`), 200);
    assert.equal(await open("/api/account/alerts/stream"), 200);
  });
});

test("SOL and programs cannot be watched", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    for (const mint of [
      "So11111111111111111111111111111111111111112",
      "11111111111111111111111111111111",
    ]) {
      const payload = { mint };
      const headers = { cookie, origin };
      const response = await send("POST", "/api/oracle/watchlist", { payload, headers });
      assert.deepEqual(refusal(response), [400, "invalid_mint"]);
    }
  });
});

test("M1: a stream ends at once with its key, and with its account", async (t) => {
  await oneApp(t, async ({ app, send, signIn }) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const headers = { cookie, origin };
    const made = (await send("POST", "/api/account/keys", { headers })).json();
    const base = await app.listen({ port: 0, host: "127.0.0.1" });
    const open = async (path: string, credentials: Record<string, string>) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await fetch(base + path, { headers: credentials, signal });
      assert.equal(response.status, 200);
      return response;
    };
    const ofToken = `/api/token/${SOME_MINT}/exitability/stream`;
    const byKey = await open(ofToken, { "x-api-key": made.key });
    const bySession = await open("/api/account/alerts/stream", { cookie });
    const revoked = await send("DELETE", `/api/account/keys/${made.id}`, { headers });
    assert.equal(revoked.statusCode, 200, revoked.body);
    await byKey.text();
    assert.equal((await send("DELETE", "/api/account", { headers })).statusCode, 200);
    await bySession.text();
  });
});

test("an open stream is one use of its key, also where access to the account changes", async (t) => {
  await oneApp(t, async ({ app, send, signIn }, t) => {
    const { cookie, origin } = await signIn("ana@example.com");
    const headers = { cookie, origin };
    const made = (await send("POST", "/api/account/keys", { headers })).json();
    const base = await app.listen({ port: 0, host: "127.0.0.1" });
    const abort = new AbortController();
    closeAfter(t, () => abort.abort());
    const stream = await fetch(`${base}/api/token/${SOME_MINT}/exitability/stream`, {
      headers: { "x-api-key": made.key },
      signal: abort.signal,
    });
    assert.equal(stream.status, 200);
    const rotated = await send("POST", "/api/account/keys/rotate", { headers });
    assert.equal(rotated.statusCode, 201);
    const { items } = (await send("GET", "/api/account/keys", { headers })).json();
    const old = items.find(({ id }: { id: string }) => id === made.id);
    assert.deepEqual([old.status, old.used_today], ["expiring", 1]);
  });
});

test("M1: a stream whose key is revoked while its first answer is loaded ends at once", async (t) => {
  const asked = Promise.withResolvers<void>();
  const loaded = Promise.withResolvers<void>();
  const markets = someMarkets(
    async () => {
      asked.resolve();
      await loaded.promise;
      return someSnapshot();
    },
    { onSnapshot: () => () => {} },
  );
  await oneApp(
    t,
    async ({ app, send, signIn }) => {
      const { cookie, origin } = await signIn("ana@example.com");
      const headers = { cookie, origin };
      const made = (await send("POST", "/api/account/keys", { headers })).json();
      const base = await app.listen({ port: 0, host: "127.0.0.1" });
      const opened = fetch(`${base}/api/token/${SOME_MINT}/exitability/stream`, {
        headers: { "x-api-key": made.key },
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      await asked.promise;
      await send("DELETE", `/api/account/keys/${made.id}`, { headers });
      loaded.resolve();
      await (await opened).text();
    },
    { markets },
  );
});
