import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { plainHttpDeps } from "#test/support/api/http-deps.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { SOME_MINT, someMarkets } from "#test/support/markets/assessments.ts";
import { testUsers } from "#test/support/users/users.ts";
import { buildApp } from "./app.ts";

/** A service of which every answer fails, and its log lines. */
async function failingApp(t: TestContext, failure: Error) {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const users = await testUsers(t, await sqliteDatabase(t));
  const app = await buildApp({
    ...plainHttpDeps(),
    markets: someMarkets(() => {
      throw failure;
    }),
    users,
    proofOf: () => Promise.reject(new Error("no proof is asked for here")),
    clock: users.clock,
    logger: pino({ level: "info" }, stream),
  });
  closeAfter(t, () => app.close());
  return { app, lines };
}

test("a failure is logged once, with the request id of the answer, without the caller", async (t) => {
  const { app, lines } = await failingApp(t, new Error("a fault of ours"));
  const url = `/api/token/${SOME_MINT}/exitability`;
  const headers = { cookie: "a=secret-cookie", "x-forwarded-for": "203.0.113.77" };
  const response = await app.inject({ url, headers });
  assert.equal(response.statusCode, 500);
  assert.equal(lines.length, 1, lines.join(""));
  const line = JSON.parse(lines[0] ?? "");
  assert.equal(line.reqId, response.headers["x-request-id"]);
  assert.deepEqual([line.level, line.err.message], [50, "a fault of ours"]);
  assert.doesNotMatch(lines[0] ?? "", /secret-cookie|203\.0\.113/);
});

test("requests that a full disk refuses are logged as one line, without a stack", async (t) => {
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  const { app, lines } = await failingApp(t, full);
  for (const _ of [1, 2, 3]) {
    const response = await app.inject({ url: `/api/token/${SOME_MINT}/exitability` });
    assert.equal(response.statusCode, 500);
  }
  assert.equal(lines.length, 1, lines.join(""));
  assert.match(lines[0] ?? "", /database or disk is full/);
  assert.doesNotMatch(lines[0] ?? "", /stack/);
});
