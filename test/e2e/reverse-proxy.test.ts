import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { avoidMidnight } from "#test/support/avoid-midnight.ts";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { readExample } from "#test/support/processes/deployment.ts";
import { type ReverseProxy, startReverseProxy } from "#test/support/processes/reverse-proxy.ts";
import { startTestService } from "#test/support/processes/service.ts";

/** In no pool: the answer is 404, and counts. */
const UNKNOWN = "HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump";
const DEMO = "DemoSteady111111111111111111111111111111111";
const ANONYMOUS_LIMIT = 5;

test("behind the reverse proxy of deploy/", async (t) => {
  assert.ok(existsSync("web/dist/index.html"), "npm run build:web makes the dashboard");
  const hops = readExample().find(({ name }) => name === "TRUST_PROXY")?.value ?? "";
  const environment = { ACCOUNTS_DIR: "", TRUST_PROXY: hops };
  const service = await startTestService(t, sqlitePlace(t), environment);
  const proxy = await startReverseProxy(t, service.url);
  if (proxy === null) return;
  await t.test("each caller has a limit of its own, whatever it claims to be", () =>
    assertCountedApart(proxy),
  );
  // Held back, it would come with the heartbeats, the first of which is due after 15 s.
  await t.test("an event comes at once, while its stream is open", { timeout: 10_000 }, () =>
    assertStreamed(proxy),
  );
  await t.test("an answer keeps the name that it can be asked for again by", () =>
    assertNamesKept(proxy, service.url),
  );
  await t.test("what the proxy refuses itself has the contract's body", () =>
    assertRefusedInJson(proxy),
  );
  await t.test("while the service is away, the answer is JSON with Retry-After", async () => {
    await service.stop();
    const response = await proxy.ask({ path: "/api/status", from: "127.0.0.5" });
    assert.equal(response.statusCode, 503);
    assert.equal(JSON.parse(await text(response)).error, "overloaded");
    assert.equal(response.headers["retry-after"], "2");
  });
  await t.test("a request without TLS is redirected to TLS", async () => {
    const response = await proxy.askPlainly("/token/abc?size=5");
    await text(response);
    assert.equal(response.statusCode, 301);
    assert.equal(response.headers.location, "https://exitability.example.com/token/abc?size=5");
  });
});

async function assertCountedApart(proxy: ReverseProxy): Promise<void> {
  const path = `/api/token/${UNKNOWN}/exitability`;
  const ask = async (from: string, claimed: string) => {
    const response = await proxy.ask({ path, from, headers: { "x-forwarded-for": claimed } });
    await text(response);
    return response.statusCode;
  };
  await avoidMidnight();
  for (let call = 0; call < ANONYMOUS_LIMIT; call++) {
    assert.equal(await ask("127.0.0.2", `203.0.113.${call}`), 404);
  }
  assert.equal(await ask("127.0.0.2", "203.0.113.200"), 429);
  assert.equal(await ask("127.0.0.3", "127.0.0.2"), 404);
}

async function assertStreamed(proxy: ReverseProxy): Promise<void> {
  const stream = await proxy.ask({ path: `/api/stream?mints=${UNKNOWN}`, from: "127.0.0.4" });
  assert.equal(stream.headers["content-type"], "text/event-stream; charset=utf-8");
  const [first] = await once(stream.setEncoding("utf8"), "data");
  assert.match(String(first), /^event: unavailable\n/);
  assert.equal(stream.complete, false);
  stream.destroy();
}

async function assertRefusedInJson(proxy: ReverseProxy): Promise<void> {
  const length = 2_000_000;
  const large = { method: "POST", headers: { "content-length": length } };
  const coded = { method: "POST", headers: { "transfer-encoding": "gzip" } };
  for (const [asked, status, code] of [
    [{ path: "/api/oracle/waitlist", ...large }, 413, "body_too_large"],
    [{ path: "/api/status", headers: { "x-large": "a".repeat(9_000) } }, 400, "invalid_body"],
    [{ path: `/api/status?${"a".repeat(9_000)}` }, 400, "invalid_body"],
    [{ path: "/api/status", method: "TRACE" }, 405, "method_not_allowed"],
    [{ path: "/api/oracle/waitlist", ...coded }, 400, "invalid_body"],
  ] as const) {
    const response = await proxy.ask({ from: "127.0.0.6", ...asked });
    const { error, message } = JSON.parse(await text(response));
    assert.deepEqual([response.statusCode, error, typeof message], [status, code, "string"]);
    assert.equal(response.headers["content-type"], "application/json");
  }
}

/** As without a proxy: each body is packed once, by the service, and named by its ETag. */
async function assertNamesKept(proxy: ReverseProxy, serviceUrl: string): Promise<void> {
  const ask = async (path: string, headers: OutgoingHttpHeaders) => {
    const response = await proxy.ask({ path, from: "127.0.0.5", headers });
    await text(response);
    return response;
  };
  const packed = { "accept-encoding": "gzip" };
  for (const path of ["/", "/openapi.json"]) {
    const direct = await fetch(serviceUrl + path, { headers: packed });
    await direct.arrayBuffer();
    const { headers } = await ask(path, packed);
    assert.equal(headers.etag, direct.headers.get("etag"), path);
    assert.equal(headers["content-encoding"], "gzip", path);
    const again = await ask(path, { ...packed, "if-none-match": headers.etag });
    assert.equal(again.statusCode, 304, path);
  }
  const measured = await ask(`/api/token/${DEMO}/exitability`, packed);
  assert.match(String(measured.headers.etag), /^W\/"/);
}
