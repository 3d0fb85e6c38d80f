import assert from "node:assert/strict";
import { test } from "node:test";
import { oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";
import { OPERATIONS } from "../operations.ts";

const PATH = `/api/token/${SOME_MINT}/exitability`;
const ELSEWHERE = "https://elsewhere.example";
const CLOSED_TAGS = ["accounts", "watchlist"];

function preflight({ app }: TestApp, path: string, own: Record<string, string> = {}) {
  const headers = { origin: ELSEWHERE, "access-control-request-method": "GET", ...own };
  return app.inject({ method: "OPTIONS", url: path, headers });
}

test("a page of any origin may read the token and service endpoints, refusals included", async (t) => {
  await oneApp(t, async ({ send }) => {
    const paths = ["", "?size=0", "/at?size=2&profile=x", "?size=2"].map((end) => PATH + end);
    const token = `/api/token/${SOME_MINT}`;
    const others = ["/pools", "/history?from=x&step=y"].map((end) => token + end);
    const service = ["/api/stream", "/openapi.json", "/healthz"];
    const statuses = new Set<number>();
    for (const path of [
      token,
      ...paths,
      ...others,
      ...service,
      `${PATH}?size=3`,
      `${PATH}?size=4`,
    ]) {
      const { headers, statusCode } = await send("GET", path, { headers: { origin: ELSEWHERE } });
      statuses.add(statusCode);
      assert.equal(headers["access-control-allow-origin"], "*", path);
      const readable = String(headers["access-control-expose-headers"]).toLowerCase().split(", ");
      for (const name of ["x-ratelimit-limit", "ratelimit", "etag", "x-request-id", "retry-after"])
        assert.ok(readable.includes(name), `${path}: ${name}`);
      assert.equal(headers["access-control-allow-credentials"], undefined);
    }
    assert.deepEqual(statuses, new Set([200, 400, 429]));
    const batch = { payload: { mints: [SOME_MINT] }, headers: { origin: ELSEWHERE } };
    const posted = await send("POST", "/api/exitability/batch", batch);
    assert.equal(posted.headers["access-control-allow-origin"], "*");
  });
});

test("a preflight names the allowed headers, never a credential, and counts nothing", async (t) => {
  await oneApp(t, async (service) => {
    for (let time = 0; time < 12; time++) {
      const { statusCode, headers, body } = await preflight(service, PATH);
      assert.deepEqual([statusCode, body], [204, ""]);
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(headers["access-control-allow-methods"], "GET, HEAD");
      assert.ok(Number(headers["access-control-max-age"]) > 600);
      assert.equal(headers["access-control-allow-credentials"], undefined);
      const sendable = String(headers["access-control-allow-headers"]);
      assert.match(sendable, /last-event-id/);
      assert.doesNotMatch(sendable, /\*|x-api-key|authorization|cookie/i);
    }
    const batch = await preflight(service, "/api/exitability/batch", {
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    });
    assert.equal(batch.headers["access-control-allow-methods"], "POST");
    assert.match(String(batch.headers["access-control-allow-headers"]), /content-type/);
    const { headers } = await service.send("GET", PATH);
    assert.equal(headers["x-ratelimit-remaining"], "4");
  });
});

test("accounts, sessions, watchlists, alerts, MCP and the reference stay closed to other origins", async (t) => {
  await oneApp(t, async (service) => {
    const closed = OPERATIONS.filter(
      ({ tag, path }) => CLOSED_TAGS.includes(tag) || path === "/mcp" || path.startsWith("/docs"),
    );
    assert.ok(closed.length > 20);
    for (const { method, path } of closed) {
      const url = path.replaceAll(/\{\w+\}/g, "1");
      const wanted = { "access-control-request-method": method.toUpperCase() };
      const asked = await preflight(service, url, wanted);
      assert.deepEqual(refusal(asked), [405, "method_not_allowed"], path);
      const answered = await service.app.inject({
        method: "GET",
        url,
        headers: { origin: ELSEWHERE },
      });
      for (const { headers } of [asked, answered]) {
        const named = Object.keys(headers).filter((name) => name.startsWith("access-control"));
        assert.deepEqual(named, [], path);
      }
    }
  });
});

test("an OPTIONS that is not a preflight is 405, and a preflight of an unknown path 404", async (t) => {
  await oneApp(t, async (service) => {
    for (const headers of [{}, { origin: ELSEWHERE }, { "access-control-request-method": "GET" }]) {
      const response = await service.app.inject({ method: "OPTIONS", url: PATH, headers });
      assert.deepEqual(refusal(response), [405, "method_not_allowed"]);
      assert.equal(response.headers.allow, "GET, HEAD");
    }
    assert.deepEqual(refusal(await preflight(service, "/api/nothing")), [404, "not_found"]);
  });
});

test("without an Origin there are no CORS headers, and Vary names origin", async (t) => {
  await oneApp(t, async ({ send }) => {
    const { headers } = await send("GET", PATH);
    const named = Object.keys(headers).filter((name) => name.startsWith("access-control"));
    assert.deepEqual(named, []);
    assert.match(String(headers.vary), /\borigin\b/);
  });
});

test("each request of another site's page counts: only the dashboard's own page counts once", async (t) => {
  await oneApp(t, async ({ send }) => {
    const left = async (site: string) => {
      const headers = { origin: ELSEWHERE, "sec-fetch-site": site };
      const response = await send("GET", PATH, { headers });
      return [response.statusCode, response.headers["x-ratelimit-remaining"]];
    };
    for (const [place, site] of ["cross-site", "same-site", "none", "cross-site"].entries())
      assert.deepEqual(await left(site), [200, String(4 - place)], site);
    assert.deepEqual(await left("cross-site"), [200, "0"]);
    assert.deepEqual(await left("cross-site"), [429, "0"]);
  });
});

test("under overload a page receives the 503, and its preflight is still answered", async (t) => {
  await oneApp(t, async (service) => {
    // Simulates one minute of event-loop delay.
    service.admission.beat(performance.now() - 60_000);
    assert.equal((await preflight(service, PATH)).statusCode, 204);
    const response = await service.send("GET", PATH, { headers: { origin: ELSEWHERE } });
    assert.deepEqual(refusal(response), [503, "overloaded"]);
    assert.equal(response.headers["access-control-allow-origin"], "*");
  });
});
