import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp, type TestApp } from "#test/support/api/app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";

const URL = `/api/token/${SOME_MINT}/exitability`;
const ADDRESS = "203.0.113.5";
const FORGED = { "sec-fetch-site": "same-origin", "x-forwarded-for": ADDRESS };

async function statuses(
  { send }: TestApp,
  headers: Record<string, string>,
  count: number,
): Promise<Readonly<Record<number, number>>> {
  const found: Record<number, number> = {};
  for (let request = 0; request < count; request++) {
    const { statusCode } = await send("GET", URL, { headers });
    found[statusCode] = (found[statusCode] ?? 0) + 1;
  }
  return found;
}

test("S2: a header that anybody can write makes no page: 5 of 200 anonymous reads are answered", async (t) => {
  await oneApp(t, async (app) => {
    assert.deepEqual(await statuses(app, FORGED, 200), { 200: 5, 429: 195 });
  });
});

test("S2: a page that this service sent counts once an hour, and reads at most 120 times a minute", async (t) => {
  await oneApp(t, async (app) => {
    const { users, send } = app;
    const cookie = users.pageTokens.cookie(users.clock.nowMs()).split(";")[0] ?? "";
    const page = { ...FORGED, cookie };
    assert.deepEqual(await statuses(app, page, 200), { 200: 120, 429: 80 });
    const refused = await send("GET", URL, { headers: page });
    const retryAfter = Number(refused.headers["retry-after"]);
    assert.ok(retryAfter >= 1 && retryAfter <= 60, String(retryAfter));
    users.advance(60_000);
    const { headers } = await send("GET", URL, { headers: page });
    assert.equal(headers["x-ratelimit-remaining"], "4");
  });
});

test("S2: a page in a browser that does not state its site counts once too, and another site's page does not", async (t) => {
  await oneApp(t, async (app) => {
    const { users } = app;
    const cookie = users.pageTokens.cookie(users.clock.nowMs()).split(";")[0] ?? "";
    const unstated = { cookie, "x-forwarded-for": ADDRESS };
    assert.deepEqual(await statuses(app, unstated, 50), { 200: 50 });
    const foreign = {
      ...unstated,
      "sec-fetch-site": "cross-site",
      "x-forwarded-for": "203.0.113.6",
    };
    assert.deepEqual(await statuses(app, foreign, 50), { 200: 5, 429: 45 });
  });
});

test("S2: a free user's cookie reads its pages at most 120 times a minute", async (t) => {
  await oneApp(t, async (app) => {
    const { cookie } = await app.signIn("ana@example.com");
    assert.deepEqual(await statuses(app, { cookie }, 150), { 200: 120, 429: 30 });
  });
});

test("a page's token ends after twelve hours, is renewed while the page is open, and cannot be made up", async (t) => {
  await oneApp(t, async ({ users, send }) => {
    const { pageTokens, clock, advance } = users;
    const cookie = pageTokens.cookie(clock.nowMs()).split(";")[0] ?? "";
    const headers = { ...FORGED, cookie };
    assert.equal((await send("GET", URL, { headers })).headers["set-cookie"], undefined);
    advance(2 * 3_600_000);
    const renewed = (await send("GET", URL, { headers })).headers["set-cookie"];
    assert.match(String(renewed), /^exitability-page=.*HttpOnly; SameSite=Strict$/);
    advance(11 * 3_600_000);
    assert.equal(pageTokens.check(cookie, clock.nowMs()), null);
    assert.notEqual(pageTokens.check(String(renewed).split(";")[0], clock.nowMs()), null);
    const [name, value = ""] = cookie.split("=");
    assert.equal(pageTokens.check(`${name}=z${value.slice(1)}`, clock.nowMs()), null);
  });
});

test("S7: one address is refused before any work beyond 1,200 requests a minute, others are not", async (t) => {
  await oneApp(t, async ({ users, send }) => {
    const from = (address: string) =>
      send("GET", "/api/examples", { headers: { "x-forwarded-for": address } });
    for (let request = 0; request < 1_200; request++) await from(ADDRESS);
    const refused = await from(ADDRESS);
    assert.deepEqual([refused.statusCode, refused.json().error], [429, "rate_limit_exceeded"]);
    const metered = await send("GET", URL, { headers: { "x-forwarded-for": ADDRESS } });
    assert.equal(metered.json().register_url, "/api/oracle/register");
    assert.equal(metered.headers["x-ratelimit-remaining"], "0");
    assert.equal((await from("203.0.113.6")).statusCode, 200);
    users.advance(60_000);
    assert.equal((await from(ADDRESS)).statusCode, 200);
  });
});

test("S7: the document is compressed once, with its tag in every encoding", async (t) => {
  await oneApp(t, async ({ send }) => {
    const get = (headers: Record<string, string>) => send("GET", "/openapi.json", { headers });
    const plain = await get({});
    const packed = await get({ "accept-encoding": "gzip, br" });
    assert.equal(packed.headers["content-encoding"], "br");
    assert.equal(packed.headers.etag, plain.headers.etag);
    const known = await get({ "if-none-match": String(plain.headers.etag) });
    assert.deepEqual([known.statusCode, known.body], [304, ""]);
  });
});

test("M8: every answer has nosniff", async (t) => {
  await oneApp(t, async ({ send }) => {
    for (const url of ["/api/examples", URL, "/openapi.json", "/nothing", "/healthz"]) {
      const { headers } = await send("GET", url);
      assert.equal(headers["x-content-type-options"], "nosniff", url);
    }
  });
});
