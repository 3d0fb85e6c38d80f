import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { oneApp, refusal, type TestApp } from "#test/support/app.ts";
import { SOME_MINT } from "#test/support/assessments.ts";
import { OPERATIONS } from "../operations/all.ts";

const PATH = `/api/token/${SOME_MINT}/exitability`;
const WATCHED = ["/healthz", "/readyz"];

/** As if the event loop had been at one round of work for a minute. */
const overloadedApp = (t: TestContext, suite: (app: TestApp) => Promise<void>) =>
  oneApp(t, async (app) => {
    app.admission.beat(performance.now() - 60_000);
    await suite(app);
  });

test("every operation is refused in the same words, as the reference documents it", (t) =>
  overloadedApp(t, async ({ send }) => {
    for (const { method, path } of OPERATIONS) {
      if (WATCHED.includes(path)) continue;
      const url = path.replaceAll(/\{\w+\}/g, SOME_MINT);
      const response = await send(method.toUpperCase() as "GET", url);
      assert.deepEqual(refusal(response), [503, "overloaded"], `${method} ${path}`);
      assert.equal(response.headers["retry-after"], "2");
    }
  }));

test("whoever watches over the process is answered under any load, and told when it stops", (t) =>
  overloadedApp(t, async ({ admission, send }) => {
    for (const path of WATCHED) assert.equal((await send("GET", path)).statusCode, 200);
    admission.stop();
    assert.equal((await send("GET", "/healthz")).statusCode, 200);
    const ready = await send("GET", "/readyz");
    assert.deepEqual([ready.statusCode, ready.json().status], [503, "not_ready"]);
  }));

test("a refused question counts nothing, and says how the caller stands, whoever it is", (t) =>
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
