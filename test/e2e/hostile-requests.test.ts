import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzHttp } from "#bench/fuzz/http.ts";
import { eachDatabasePlace } from "#test/support/databases/databases.ts";
import { startTestService } from "#test/support/processes/service.ts";

test("hostile requests with and without a session, NUL and lone surrogates among them, are never answered 5xx", async (t) => {
  await eachDatabasePlace(t, async (t, place) => {
    const service = await startTestService(t, place, { TRUST_PROXY: "1", LOG_LEVEL: "error" });
    const outcome = await fuzzHttp(service, { requests: 1_500, seed: 1 });
    assert.deepEqual(outcome.failures, []);
    assert.ok((outcome.statuses[200] ?? 0) > 100, JSON.stringify(outcome.statuses));
  });
});
