import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { pino } from "pino";
import { NO_ACCURACY, SOME_MINT, SOME_SERVICE, someMarkets } from "#test/support/assessments.ts";
import { sqliteDatabase } from "#test/support/databases.ts";
import { TEST_PUBLIC_URL, testUsers } from "#test/support/users.ts";
import { NO_WATCHING } from "#test/support/watching.ts";
import { Admission } from "./admission.ts";
import { buildApp } from "./app.ts";
import { RequestCounts } from "./request-counts.ts";

test("what failed is logged once, under the id that its answer carries, without who asked", async (t) => {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const users = await testUsers(t, await sqliteDatabase(t));
  const app = await buildApp({
    markets: someMarkets(() => {
      throw new Error("a fault of ours");
    }),
    users,
    ...NO_WATCHING,
    accuracy: NO_ACCURACY,
    proofOf: () => Promise.reject(new Error("no proof is asked for here")),
    publicUrl: TEST_PUBLIC_URL,
    readiness: async () => ({
      isReady: true,
      database: "ok",
      redis: null,
      chainAgeSeconds: 1,
      slotLag: 0,
      stream: null,
      refusals: [],
    }),
    clock: users.clock,
    logger: pino({ level: "info" }, stream),
    requests: new RequestCounts(),
    admission: new Admission(),
    trustProxyHops: 1,
    service: SOME_SERVICE,
    dashboard: { directory: "/nowhere", pages: [], isBehindTls: false },
  });
  const url = `/api/token/${SOME_MINT}/exitability`;
  const headers = { cookie: "a=secret-cookie", "x-forwarded-for": "203.0.113.77" };
  const response = await app.inject({ url, headers });
  await app.close();
  assert.equal(response.statusCode, 500);
  assert.equal(lines.length, 1, lines.join(""));
  const line = JSON.parse(lines[0] ?? "");
  assert.equal(line.reqId, response.headers["x-request-id"]);
  assert.deepEqual([line.level, line.err.message], [50, "a fault of ours"]);
  assert.doesNotMatch(lines[0] ?? "", /secret-cookie|203\.0\.113/);
});
