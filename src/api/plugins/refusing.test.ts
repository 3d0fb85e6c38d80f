import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { oneApp, refusal, type TestApp } from "#test/support/api/app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";
import { OPERATIONS } from "../operations.ts";

const PATH = `/api/token/${SOME_MINT}/exitability`;
const WATCHED = ["/healthz", "/readyz"];

/** Simulates one minute of event-loop delay. */
const overloadedApp = (t: TestContext, suite: (app: TestApp) => Promise<void>) =>
  oneApp(t, async (app) => {
    app.admission.beat(performance.now() - 60_000);
    await suite(app);
  });

test("every operation is refused with the same body, as the reference documents", (t) =>
  overloadedApp(t, async ({ send }) => {
    for (const { method, path } of OPERATIONS) {
      if (WATCHED.includes(path)) continue;
      const url = path.replaceAll(/\{\w+\}/g, SOME_MINT);
      const response = await send(method.toUpperCase() as "GET", url);
      assert.deepEqual(refusal(response), [503, "overloaded"], `${method} ${path}`);
      assert.equal(response.headers["retry-after"], "2");
    }
  }));

test("a browser opens a page again that was refused, and a program is left to itself", (t) =>
  overloadedApp(t, async ({ send }) => {
    const headers = { accept: "text/html,application/xhtml+xml" };
    const page = await send("GET", `/token/${SOME_MINT}`, { headers });
    assert.deepEqual([page.statusCode, page.headers.refresh], [503, "2"]);
    assert.equal((await send("GET", PATH)).headers.refresh, undefined);
  }));

test("a refused script or style of a page has the type that the browser expects, and no body", (t) =>
  overloadedApp(t, async ({ send }) => {
    for (const [part, type] of [
      ["script", "text/javascript; charset=utf-8"],
      ["style", "text/css; charset=utf-8"],
    ] as const) {
      const refused = await send("GET", "/assets/part", { headers: { "sec-fetch-dest": part } });
      assert.deepEqual(
        [refused.statusCode, refused.headers["content-type"], refused.headers["retry-after"]],
        [503, type, "2"],
      );
      assert.equal(refused.body, "");
    }
  }));

test("health and readiness are answered under any load, and readiness fails while stopping", (t) =>
  overloadedApp(t, async ({ admission, send }) => {
    for (const path of WATCHED) assert.equal((await send("GET", path)).statusCode, 200);
    admission.stop();
    assert.equal((await send("GET", "/healthz")).statusCode, 200);
    const ready = await send("GET", "/readyz");
    assert.deepEqual([ready.statusCode, ready.json().status], [503, "not_ready"]);
  }));

test("a refused request counts nothing and carries the caller's rate limit headers", (t) =>
  overloadedApp(t, async ({ admission, send }) => {
    for (const headers of [{}, { "x-api-key": "exi_unknown" }]) {
      const response = await send("GET", PATH, { headers });
      assert.equal(response.statusCode, 503);
      assert.equal(response.headers["x-ratelimit-remaining"], "5");
    }
    admission.beat(performance.now());
    const answered = await send("GET", PATH);
    assert.deepEqual([answered.statusCode, answered.headers["x-ratelimit-remaining"]], [200, "4"]);
  }));
