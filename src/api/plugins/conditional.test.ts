import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { oneApp } from "#test/support/api/app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";

const PATH = `/api/token/${SOME_MINT}/exitability`;

test("an answer that the caller has is answered 304: weak tags, lists and * included; it counts", async (t) => {
  await oneApp(t, async ({ send }) => {
    const { headers, body } = await send("GET", PATH);
    const etag = String(headers.etag);
    assert.ok(body.length > 0);
    for (const known of [etag, `"other", ${etag}`, etag.replace("W/", ""), "*"]) {
      const again = await send("GET", PATH, { headers: { "if-none-match": known } });
      assert.equal(again.statusCode, 304, known);
      assert.equal(again.headers.etag, etag);
      assert.ok(again.headers["x-ratelimit-remaining"]);
    }
    const last = await send("GET", PATH, { headers: { "if-none-match": etag } });
    assert.equal(last.statusCode, 429, "the day was used up by five");
    assert.equal(last.headers.etag, undefined);
  });
});

test("HEAD is answered as GET without the body: 200, or 304 if the caller has the state", async (t) => {
  await oneApp(t, async ({ send }) => {
    const first = await send("HEAD", PATH);
    assert.equal(first.statusCode, 200);
    assert.equal(first.body, "");
    const again = await send("HEAD", PATH, {
      headers: { "if-none-match": String(first.headers.etag) },
    });
    assert.equal(again.statusCode, 304);
    assert.equal(again.headers.etag, first.headers.etag);
    assert.equal(again.body, "");
  });
});

test("another size, profile or language has another tag", async (t) => {
  await oneApp(t, async ({ send }) => {
    const tags = new Set<unknown>();
    for (const query of ["", "?size=5", "?profile=pro"]) {
      tags.add((await send("GET", PATH + query)).headers.etag);
    }
    assert.equal(tags.size, 3);
  });
});

test("no shared cache may keep an answer that depends on who asks", async (t) => {
  await oneApp(t, async ({ send, signIn }) => {
    const { cookie } = await signIn("a@example.com");
    const answers = [
      await send("GET", PATH),
      await send("GET", PATH, { headers: { cookie } }),
      await send("GET", "/api/account/me", { headers: { cookie } }),
      await send("GET", PATH, { headers: { "x-api-key": "exi_nothing" } }),
      await send("POST", "/api/exitability/batch", { payload: { mints: [SOME_MINT] } }),
    ];
    for (const { headers } of answers) {
      assert.match(String(headers["cache-control"]), /private|no-store/);
      assert.match(String(headers.vary), /authorization, cookie, x-api-key/);
    }
  });
});

test("a long answer is compressed as the client accepts it, a short one never", async (t) => {
  await oneApp(t, async ({ send }) => {
    const as = (encoding: string) =>
      send("GET", "/openapi.json", { headers: { "accept-encoding": encoding } });
    const plain = await as("identity");
    assert.equal(plain.headers["content-encoding"], undefined);
    const brotli = await as("gzip, br");
    assert.equal(brotli.headers["content-encoding"], "br");
    assert.equal(String(brotliDecompressSync(brotli.rawPayload)), plain.body);
    for (const refused of ["br;q=0", "br; q=0", "br ;q=0", "br; q=0.0, *;q=0"]) {
      assert.equal((await as(refused)).headers["content-encoding"], undefined, refused);
    }
    const gzip = await as("gzip, br; q=0");
    assert.equal(gzip.headers["content-encoding"], "gzip");
    assert.equal(String(gunzipSync(gzip.rawPayload)), plain.body);
    assert.ok(gzip.rawPayload.length * 4 < plain.rawPayload.length);
    const short = await send("GET", PATH, { headers: { "accept-encoding": "br" } });
    assert.equal(short.headers["content-encoding"], undefined);
  });
});
