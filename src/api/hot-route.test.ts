import assert from "node:assert/strict";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { FastifyInstance } from "fastify";
import { createUserForEmail, findUserByEmail, setUserTier } from "#src/store/users.ts";
import type { ApiKeys } from "#src/users/api-keys.ts";
import { parseEmailAddress } from "#src/users/email-address.ts";
import type { Quotas } from "#src/users/quotas.ts";
import { plainHttpDeps } from "#test/support/api/http-deps.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import {
  SOME_MINT,
  someAssessment,
  someMarkets,
  someSnapshot,
} from "#test/support/markets/assessments.ts";
import { testUsers } from "#test/support/users/users.ts";
import { Admission } from "./admission.ts";
import { buildApp } from "./app.ts";
import { RequestCounts } from "./request-counts.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const PATH = `/api/token/${SOME_MINT}/exitability`;

type Running = {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly headers: { readonly "x-api-key": string };
  readonly apiKeys: ApiKeys;
  readonly requests: RequestCounts;
  readonly admission: Admission;
  /** Answers of the framework's route. */
  readonly framework: () => number;
  /** Requests that the hot route has counted. */
  readonly hot: () => number;
};

/** The service on a socket, and a key of a tier without a daily gate. */
async function running(t: TestContext, suite: (service: Running) => Promise<void>): Promise<void> {
  const store = await sqliteDatabase(t);
  const users = await testUsers(t, store, { clock: { nowMs: () => NOW } });
  const snapshot = someSnapshot({ findings: [{ kind: "freeze-authority" }] });
  const requests = new RequestCounts();
  const admission = new Admission();
  let framework = 0;
  let hot = 0;
  const quotas: Quotas = {
    ...users.quotas,
    spendAtOnce(...asked) {
      hot++;
      return users.quotas.spendAtOnce(...asked);
    },
  };
  const app = await buildApp({
    ...plainHttpDeps(),
    markets: someMarkets(
      () => {
        framework++;
        return snapshot;
      },
      { latest: (mint) => (mint === SOME_MINT ? snapshot : null) },
    ),
    users: { ...users, quotas },
    proofOf: () => Promise.reject(new Error("no proof is asked for here")),
    clock: { nowMs: () => NOW },
    trustProxyHops: 0,
    requests,
    admission,
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const email = parseEmailAddress("load@example.com");
  assert.ok(email);
  await createUserForEmail(store, email, NOW);
  const user = await findUserByEmail(store.db, email);
  assert.ok(user);
  await setUserTier(store.db, { userId: user.id, tier: "pro" }, NOW);
  const issued = await users.apiKeys.activate(user.id);
  assert.ok(issued);
  const headers = { "x-api-key": issued.text };
  // Cached keys are trusted only while their changes are polled.
  users.start();
  await eventually("a checked key is cached", async () => {
    await users.apiKeys.check(issued.text, NOW);
    return users.apiKeys.cached(issued.text, NOW);
  });
  try {
    await suite({
      app,
      url,
      headers,
      requests,
      admission,
      apiKeys: users.apiKeys,
      framework: () => framework,
      hot: () => hot,
    });
  } finally {
    await app.close();
    await users.close();
  }
}

/** Everything that must be equal: all but the request's id, the time and the connection. */
function comparable(status: number, headers: Headers | Record<string, unknown>, body: string) {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const own = [
    "x-request-id",
    "date",
    "connection",
    "keep-alive",
    "x-ratelimit-remaining",
    "ratelimit",
  ];
  const kept = entries
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([name]) => !own.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { status, headers: kept, body };
}

test("the hot answer equals the framework's to the byte, for every profile, size, language and origin", (t) =>
  running(t, async ({ app, url, headers, apiKeys }) => {
    const queries = [
      "",
      "?size=5",
      "?profile=pro",
      "?profile=pro&size=0.01",
      "?size=10.5&profile=retail",
    ];
    for (const query of queries) {
      for (const own of [
        { "accept-language": "es" },
        { "accept-language": "en-GB,es;q=0.4" },
        { origin: "https://elsewhere.example" },
      ]) {
        const asked = { ...headers, ...own };
        const slow = await app.inject({ url: PATH + query, headers: asked });
        assert.ok(apiKeys.cached(headers["x-api-key"], NOW), "the key is cached");
        const hot = await fetch(url + PATH + query, { headers: asked });
        assert.deepEqual(
          comparable(hot.status, hot.headers, await hot.text()),
          comparable(slow.statusCode, slow.headers, slow.body),
          `${query} ${JSON.stringify(own)}`,
        );
        assert.match(
          String(hot.headers.get("x-request-id")),
          /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-z]+$/,
        );
      }
    }
  }));

test("a caller that has the state gets 304, hot or not, and it counts", (t) =>
  running(t, async ({ app, url, headers, hot: answered }) => {
    const { etag } = (await app.inject({ url: PATH, headers })).headers;
    assert.equal(typeof etag, "string");
    const [weak, strong] = [String(etag), String(etag).slice(2)];
    const cases: readonly (readonly [string, number])[] = [
      [weak, 304],
      [strong, 304],
      [`"another", ${weak}`, 304],
      ["*", 304],
      ['"another"', 200],
      ["", 200],
    ];
    for (const [known, status] of cases) {
      const asked = { ...headers, "if-none-match": known, origin: "https://example.com" };
      const slow = await app.inject({ url: PATH, headers: asked });
      const before = answered();
      const hot = await fetch(url + PATH, { headers: asked });
      assert.equal(hot.status, status, known);
      assert.deepEqual(
        comparable(hot.status, hot.headers, await hot.text()),
        comparable(slow.statusCode, slow.headers, slow.body),
        known,
      );
      assert.equal(answered() - before, 1, known);
      assert.equal(
        Number(hot.headers.get("x-ratelimit-remaining")),
        Number(slow.headers["x-ratelimit-remaining"]) - 1,
      );
    }
  }));

type Raw = {
  readonly status: string;
  readonly headers: Map<string, string>;
  readonly body: string;
};

/** The answers on one connection to requests that are all sent at once; the last one ends it. */
async function onOneConnection(url: string, requests: readonly string[]): Promise<readonly Raw[]> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(requests.join(""));
  let rest = (await buffer(socket)).toString("latin1");
  const answers: Raw[] = [];
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const [status = "", ...lines] = rest.slice(0, end).split("\r\n");
    const headers = new Map(lines.map((line) => line.split(": ", 2) as [string, string]));
    const bodyEnd = end + 4 + Number(headers.get("content-length") ?? 0);
    answers.push({ status, headers, body: rest.slice(end + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}

test("requests sent together on one connection are answered in order, hot or not", (t) =>
  running(t, async ({ app, url, headers, hot }) => {
    const asking = (size: number, ...lines: string[]) => {
      const target = `GET ${PATH}?size=${size} HTTP/1.1`;
      const key = `x-api-key: ${headers["x-api-key"]}`;
      return [target, "host: x", key, ...lines, "", ""].join("\r\n");
    };
    for (const size of [1, 5, 10]) await app.inject({ url: `${PATH}?size=${size}`, headers });
    const before = hot();
    const answers = await onOneConnection(url, [
      asking(1),
      asking(2),
      asking(5, 'if-none-match: "one"', 'if-none-match: "another"'),
      asking(10, "connection: close"),
    ]);
    assert.equal(hot() - before, 3, "the framework has not parsed the second URL yet");
    const sizes = answers.map(({ body }) => JSON.parse(body).slippage.size_requested);
    assert.deepEqual(sizes, [1, 2, 5, 10]);
    const heads = answers.map(({ status, headers: sent }) => {
      const connection = ["Connection", "Keep-Alive"].map((name) => sent.get(name));
      return {
        status,
        connection,
        names: [...sent.keys()].map((name) => name.toLowerCase()).sort(),
      };
    });
    assert.deepEqual(heads[0], heads[1]);
    assert.deepEqual(heads[2], heads[1]);
    assert.equal(answers[3]?.headers.get("Connection"), "close");
  }));

test("hot and framework answers count on one window", (t) =>
  running(t, async ({ app, url, headers }) => {
    const left: number[] = [];
    for (let round = 0; round < 3; round++) {
      const slow = await app.inject({ url: PATH, headers });
      left.push(Number(slow.headers["x-ratelimit-remaining"]));
      const hot = await fetch(url + PATH, { headers });
      left.push(Number(hot.headers.get("x-ratelimit-remaining")));
      await hot.arrayBuffer();
    }
    assert.deepEqual(left, [599, 598, 597, 596, 595, 594]);
  }));

test("hot and framework answers, refusals and unknown paths are counted by route and status", (t) =>
  running(t, async ({ app, url, headers, requests }) => {
    await app.inject({ url: PATH, headers });
    await (await fetch(url + PATH, { headers })).arrayBuffer();
    await (await fetch(`${url + PATH}?size=0`, { headers })).arrayBuffer();
    await (await fetch(`${url}/x/1`)).arrayBuffer();
    await app.close();
    const counted = Array.from(requests.all(), ({ method, route, byStatus, byDuration }) => {
      const timed = byDuration.reduce((sum, count) => sum + count, 0);
      return [method, route, Object.fromEntries(byStatus), timed];
    });
    assert.deepEqual(counted, [
      ["GET", "/api/token/:id/exitability", { 200: 2, 400: 1 }, 3],
      ["GET", "none", { 404: 1 }, 1],
    ]);
  }));

test("under overload a hot request gets the framework's 503 and uses nothing", (t) =>
  running(t, async ({ app, url, headers, admission }) => {
    await app.inject({ url: PATH, headers });
    // Simulates one minute of event-loop delay.
    admission.beat(performance.now() - 60_000);
    const asked = { ...headers, origin: "https://elsewhere.example" };
    const slow = await app.inject({ url: `${PATH}?size=0`, headers: asked });
    const hot = await fetch(url + PATH, { headers: asked });
    assert.equal(hot.status, 503);
    assert.equal(hot.headers.get("access-control-allow-origin"), "*");
    assert.deepEqual(
      comparable(hot.status, hot.headers, await hot.text()),
      comparable(slow.statusCode, slow.headers, slow.body),
    );
    admission.beat(performance.now());
    const last = await fetch(url + PATH, { headers });
    assert.equal(last.headers.get("x-ratelimit-remaining"), "598");
  }));

test("a revoked key, an invalid parameter and a spent window are refused by the framework", (t) =>
  running(t, async ({ url, headers, apiKeys, app }) => {
    await app.inject({ url: PATH, headers });
    const ask = async (path: string, own: Record<string, string> = headers) => {
      const response = await fetch(url + path, { headers: own });
      const body = JSON.parse(await response.text());
      return [response.status, body.error];
    };
    assert.deepEqual(await ask(`${PATH}?size=0`), [400, "invalid_size"]);
    assert.deepEqual(await ask(`${PATH}?size=1&size=2`), [400, "invalid_size"]);
    assert.deepEqual(await ask(`${PATH}?profile=x`), [400, "invalid_profile"]);
    assert.deepEqual(await ask(PATH, { "x-api-key": "exi_nothing" }), [401, "unauthorized"]);
    const spent: number[] = [];
    for (let query = 0; query < 605; query++)
      spent.push((await fetch(url + PATH, { headers })).status);
    assert.equal(spent.filter((status) => status === 200).length, 599);
    assert.deepEqual(await ask(PATH), [429, "rate_limit_exceeded"]);
    const caller = apiKeys.cached(headers["x-api-key"], NOW)?.caller;
    assert.ok(caller?.via.kind === "api-key");
    await apiKeys.revoke(caller.userId, caller.via.id);
    assert.deepEqual(await ask(PATH), [401, "unauthorized"]);
  }));

test("hot or not, a request is one use of its key", (t) =>
  running(t, async ({ url, headers, apiKeys, hot }) => {
    const caller = apiKeys.cached(headers["x-api-key"], NOW)?.caller;
    assert.ok(caller);
    const uses = async () => (await apiKeys.list(caller.userId))[0]?.usedToday ?? 0;
    const before = await uses();
    const ask = (path: string) => fetch(url + path, { headers });
    assert.equal((await ask(PATH)).status, 200);
    assert.equal(await uses(), before + 1);
    const hotBefore = hot();
    await ask("/api/token/So11111111111111111111111111111111111111113/exitability");
    assert.equal(hot(), hotBefore, "a cold token is the framework's");
    assert.equal(await uses(), before + 2);
  }));

test("a token that is not tracked goes to the framework", (t) =>
  running(t, async ({ url, headers, framework, app }) => {
    await app.inject({ url: PATH, headers });
    const before = framework();
    const cold = "So11111111111111111111111111111111111111113";
    assert.notEqual(someAssessment().mint, cold);
    await fetch(`${url}/api/token/${cold}/exitability`, { headers });
    assert.equal(framework(), before + 1);
  }));
