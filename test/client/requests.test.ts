import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { closeAfter } from "#test/support/ending.ts";
import {
  createExitability,
  ExitabilityError,
  type ExitabilityOptions,
} from "../../clients/typescript/src/exitability.ts";
import { delayMs } from "../../clients/typescript/src/patience.ts";
import { retryAfterSeconds } from "../../clients/typescript/src/refusal.ts";
import {
  cut,
  json,
  silence,
  startScriptedServer,
  type Turn,
} from "../support/chain/scripted-server.ts";

const MINT = "DemoThree1111111111111111111111111111111111";
const TOKEN = { token_id: MINT, name: "Three", symbol: "THREE", decimals: 6 };
const BUSY = { error: "overloaded", message: "Too much at once." };
const LIMIT = {
  error: "rate_limit_exceeded",
  message: "The day's queries are used up.",
  used: 5,
  limit: 5,
};
const QUICK = { baseDelayMs: 1 };

function client(baseUrl: string, options: Partial<ExitabilityOptions> = {}) {
  return createExitability({ baseUrl, retry: QUICK, ...options });
}

/** What it is refused with; fails where it is not, or with anything that is not the client's. */
async function refusalOf(asking: Promise<unknown>): Promise<ExitabilityError> {
  const error = await asking.then(
    () => assert.fail("it was answered"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ExitabilityError, String(error));
  return error;
}

test("each method asks what the service takes", async (t) => {
  const all: Turn = (response) => json(200, {})(response, undefined as never);
  const { url, asked } = await startScriptedServer(t, ...Array.from({ length: 13 }, () => all));
  const asking = client(`${url}/`, { apiKey: "exi_key", accessToken: "session", language: "en" });
  const { exitability, exitAt, stressedExit, token, pools, history, batch, watchlist } = asking;
  await exitability(MINT, { profile: "pro", size: 2.5 });
  await exitAt(MINT, { size: "0.000000000000000001", unit: "token" });
  await stressedExit(MINT, { profile: "pro" });
  await token("a/../b?c#d");
  await pools(MINT);
  await history(MINT, { from: new Date(0), to: "1970-01-02T00:00:00.000Z", step: 60 });
  await batch([MINT], { profile: "pro", size: 5 });
  await asking.accuracy();
  await asking.accuracySwaps({ program: "pumpswap", limit: 5 });
  await watchlist.list();
  await watchlist.add({ mint: MINT, size_sol: 5 });
  await watchlist.change({ id: 1, alerts_enabled: false });
  await watchlist.remove(1);
  const about = `/api/token/${MINT}`;
  assert.deepEqual(
    asked.map(({ method, url, body }) => [method, url, body].join(" ").trim()),
    [
      `GET ${about}/exitability?profile=pro&size=2.5`,
      `GET ${about}/exitability/at?unit=token&size=0.000000000000000001`,
      `GET ${about}/exitability/stressed?profile=pro`,
      "GET /api/token/a%2F..%2Fb%3Fc%23d",
      `GET ${about}/pools`,
      `GET ${about}/history?step=60&from=1970-01-01T00%3A00%3A00.000Z&to=1970-01-02T00%3A00%3A00.000Z`,
      `POST /api/exitability/batch {"mints":["${MINT}"],"profile":"pro","size":5}`,
      "GET /api/accuracy",
      "GET /api/accuracy/swaps?program=pumpswap&limit=5",
      "GET /api/oracle/watchlist",
      `POST /api/oracle/watchlist {"mint":"${MINT}","size_sol":5}`,
      'PATCH /api/oracle/watchlist {"id":1,"alerts_enabled":false}',
      "DELETE /api/oracle/watchlist?id=1",
    ],
  );
  for (const { headers, body } of asked) {
    assert.equal(headers["x-api-key"], "exi_key");
    assert.equal(headers.authorization, "Bearer session");
    assert.equal(headers["accept-language"], "en");
    assert.equal(headers["content-type"], body === "" ? undefined : "application/json");
  }
});

test("any text for a mint is asked about as this token's, and throws nothing of the platform", async (t) => {
  const { url, asked } = await startScriptedServer(t, json(200, {}), json(200, {}), json(200, {}));
  const { pools } = client(url);
  for (const mint of [".", "..", "\ud800"]) await pools(mint);
  assert.deepEqual(
    asked.map(({ url }) => url),
    [".%20", "..%20", "%EF%BF%BD"].map((segment) => `/api/token/${segment}/pools`),
  );
});

test("a computed size is asked for to the lamport, and a date that is none is the service's to refuse", async (t) => {
  const turn = json(200, {});
  const { url, asked } = await startScriptedServer(t, ...Array.from({ length: 7 }, () => turn));
  const { exitAt, history } = client(url);
  await exitAt(MINT, { size: 0.1 + 0.2 });
  await exitAt(MINT, { size: 0.1 + 0.2, unit: "token" });
  await exitAt(MINT, { size: 1.5e-7, unit: "token" });
  await exitAt(MINT, { size: 0.1 + 0.2, unit: "usd" });
  await exitAt(MINT, { max_cost: 0.1 + 0.2 });
  await exitAt(MINT, { max_cost: "0.5" });
  await history(MINT, { from: new Date(Number.NaN) });
  assert.deepEqual(
    asked.map(({ url: target }) => target.split("?")[1]),
    [
      "size=0.300000000",
      "unit=token&size=0.30000000000000004",
      "unit=token&size=0.00000015",
      "unit=usd&size=0.300000",
      "max_cost=0.3000",
      "max_cost=0.5",
      "from=Invalid+Date",
    ],
  );
});

test("a client that could send no request is refused with the option's name, and no secret", () => {
  const baseUrl = "https://exit.example";
  for (const [options, name] of [
    [{ baseUrl: "" }, "baseUrl"],
    [{ baseUrl: "ftp://exit.example" }, "baseUrl"],
    [{ baseUrl: "https://user:hunter2@exit.example" }, "baseUrl"],
    [{ baseUrl, apiKey: "exi_hunter2\n" }, "apiKey"],
    [{ baseUrl, accessToken: "\u043ahunter2" }, "accessToken"],
  ] as const)
    assert.throws(
      () => createExitability(options),
      (error) =>
        error instanceof ExitabilityError &&
        error.code === "invalid_options" &&
        error.message.startsWith(name) &&
        !error.message.includes("hunter2"),
    );
});

test("an empty key is none", async (t) => {
  const server = await startScriptedServer(t, json(200, {}));
  await client(server.url, { apiKey: "", accessToken: "" }).token(MINT);
  const { headers } = server.asked[0] ?? assert.fail("nothing was asked");
  assert.ok(!("x-api-key" in headers) && !("authorization" in headers));
});

test("a refusal that names a time is asked again then, and no sooner", async (t) => {
  const server = await startScriptedServer(
    t,
    json(429, LIMIT, { "retry-after": "1" }),
    json(200, TOKEN),
  );
  assert.equal((await client(server.url).token(MINT)).name, "Three");
  const [first, second] = server.asked;
  assert.ok(first !== undefined && second !== undefined);
  const waitedMs = second.atMs - first.atMs;
  assert.ok(waitedMs >= 990 && waitedMs < 10_000, `${waitedMs} ms`);
});

test("a timeout that is longer than any timer never ends a request", async (t) => {
  for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
    const server = await startScriptedServer(t, json(200, TOKEN));
    assert.equal((await client(server.url, { timeoutMs }).token(MINT)).name, "Three");
    assert.equal(server.asked.length, 1);
  }
});

test("exits after the holders are waited for as long as the service may take, unless the caller sets another timeout", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const fetch: ExitabilityOptions["fetch"] = (_url, { signal }) =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  for (const [method, timeoutMs, waitedMs] of [
    ["holdersFirst", undefined, 80_000],
    ["stressedExit", undefined, 30_000],
    ["holdersFirst", 5_000, 5_000],
  ] as const) {
    const asking = client("http://exit.example", { fetch, timeoutMs, retry: { attempts: 1 } });
    let isOver = false;
    const refused = refusalOf(asking[method](MINT)).finally(() => {
      isOver = true;
    });
    t.mock.timers.tick(waitedMs - 1);
    await setImmediate();
    assert.equal(isOver, false, `${method} after ${waitedMs} ms`);
    t.mock.timers.tick(1);
    assert.equal((await refused).code, "timeout");
  }
});

test("a Retry-After that is over already leaves the growing waits, so that no client asks in a loop", () => {
  const error = new ExitabilityError("overloaded", "busy", { status: 503, retryAfterSeconds: 0 });
  for (const [failures, leastMs, mostMs] of [
    [1, 125, 250],
    [4, 1_000, 2_000],
  ] as const) {
    const waitMs = delayMs(error, failures, 250);
    assert.ok(waitMs >= leastMs && waitMs <= mostMs, `${waitMs} ms after ${failures} failures`);
  }
});

test("what passes is asked again: refusals, the network, silence; for batches too", async (t) => {
  const server = await startScriptedServer(
    t,
    json(503, BUSY),
    cut,
    silence,
    json(200, TOKEN),
    json(503, BUSY, { "retry-after": "0" }),
    json(200, { profile: "retail", items: [] }),
  );
  const { token, batch } = client(server.url, { timeoutMs: 1_000 });
  assert.equal((await token(MINT)).name, "Three");
  assert.equal(server.asked.length, 4);
  assert.deepEqual(await batch([MINT]), { profile: "retail", items: [] });
  assert.equal(server.asked.length, 6);
});

test("a permanent failure is thrown at once, with the complete answer of the service", async (t) => {
  const body = { error: "not_found", message: "No pool.", state: "not_found", token_id: MINT };
  const server = await startScriptedServer(t, json(404, body, { "x-request-id": "r1" }));
  const error = await refusalOf(client(server.url).pools(MINT));
  const { name, code, status, message, requestId, retryAfterSeconds } = error;
  assert.deepEqual(
    { name, code, status, message, requestId, retryAfterSeconds, body: error.body },
    {
      name: "ExitabilityError",
      code: "not_found",
      status: 404,
      message: "No pool.",
      requestId: "r1",
      retryAfterSeconds: null,
      body,
    },
  );
  assert.equal(server.asked.length, 1);
});

test("the client does not wait for the end of a day, given in seconds or as a date", async (t) => {
  const tomorrow = new Date(Date.now() + 86_400_000).toUTCString();
  for (const after of ["86400", tomorrow]) {
    const server = await startScriptedServer(t, json(429, LIMIT, { "retry-after": after }));
    const error = await refusalOf(client(server.url).exitability(MINT));
    assert.deepEqual([error.code, error.status], ["rate_limit_exceeded", 429]);
    assert.ok(Math.abs((error.retryAfterSeconds ?? 0) - 86_400) < 5, after);
    assert.deepEqual(error.body, LIMIT);
    assert.equal(server.asked.length, 1);
  }
});

test("a wait that is longer than any timer is not begun, however long a request may wait: it would end at once", async (t) => {
  for (const after of ["999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    const refusal = json(429, LIMIT, { "retry-after": after });
    const server = await startScriptedServer(t, refusal, json(200, TOKEN));
    const retry = { maxWaitMs: Number.POSITIVE_INFINITY };
    const error = await refusalOf(client(server.url, { retry }).token(MINT));
    assert.deepEqual([error.code, server.asked.length], ["rate_limit_exceeded", 1], after);
  }
});

test("one question waits no longer in all than it may", async (t) => {
  const later = json(503, BUSY, { "retry-after": "1" });
  const server = await startScriptedServer(t, later, later, later);
  const error = await refusalOf(
    client(server.url, { retry: { maxWaitMs: 1_500, attempts: 10 } }).token(MINT),
  );
  assert.deepEqual([error.code, error.retryAfterSeconds], ["overloaded", 1]);
  assert.equal(server.asked.length, 2);
});

test("retries end after the maximum number of tries", async (t) => {
  const server = await startScriptedServer(t, cut, cut, cut, json(200, TOKEN));
  const { code, status } = await refusalOf(
    client(server.url, { retry: { ...QUICK, attempts: 3 } }).token(MINT),
  );
  assert.deepEqual([code, status], ["network_error", null]);
  assert.equal(server.asked.length, 3);
});

test("a write is sent once, whatever becomes of it", async (t) => {
  const server = await startScriptedServer(t, json(503, BUSY), cut);
  const { watchlist } = client(server.url, { accessToken: "session" });
  assert.equal((await refusalOf(watchlist.add({ mint: MINT }))).code, "overloaded");
  assert.equal((await refusalOf(watchlist.remove(1))).code, "network_error");
  assert.equal(server.asked.length, 2);
});

test("the caller's signal ends a request, its reading and the wait for the next", async (t) => {
  const half: Turn = (response) => void response.writeHead(200).write('{"half":');
  for (const turn of [silence, half, json(429, LIMIT, { "retry-after": "30" })]) {
    const abort = new AbortController();
    const server = await startScriptedServer(t, (response, request) => {
      turn(response, request);
      setTimeout(() => abort.abort("enough"), 50);
    });
    const beganMs = performance.now();
    const error = await refusalOf(client(server.url).token(MINT, { signal: abort.signal }));
    assert.deepEqual([error.code, error.cause], ["aborted", "enough"]);
    assert.ok(performance.now() - beganMs < 5_000);
    assert.equal(server.asked.length, 1);
    const again = await refusalOf(client(server.url).token(MINT, { signal: abort.signal }));
    assert.equal(again.code, "aborted");
    assert.equal(server.asked.length, 1, "nothing is sent for a signal that has ended");
  }
});

test("an answer that stops half-way is late, not an answer", async (t) => {
  const half: Turn = (response) => void response.writeHead(200).write('{"half":');
  const server = await startScriptedServer(t, half);
  const error = await refusalOf(
    client(server.url, { timeoutMs: 100, retry: { attempts: 1 } }).token(MINT),
  );
  assert.equal(error.code, "timeout");
});

test("an answer that is not in the service's format is reported as such", async (t) => {
  const page: Turn = (response) => void response.writeHead(200).end("<html>");
  const list: Turn = (response) => void response.writeHead(200).end("[]");
  const gate: Turn = (response) => void response.writeHead(403).end("Forbidden");
  for (const [turn, status] of [
    [page, 200],
    [list, 200],
    [gate, 403],
  ] as const) {
    const server = await startScriptedServer(t, turn);
    const error = await refusalOf(client(server.url).token(MINT));
    assert.deepEqual([error.code, error.status], ["bad_answer", status]);
    assert.equal(server.asked.length, 1);
  }
});

test("a redirect is not followed: no key goes where it was not sent", async (t) => {
  const other = await startScriptedServer(t, json(200, TOKEN));
  const server = await startScriptedServer(t, (response) => {
    response.writeHead(307, { location: other.url }).end();
  });
  const error = await refusalOf(client(server.url, { apiKey: "exi_key" }).token(MINT));
  assert.equal(error.code, "bad_answer");
  assert.match(error.message, /redirect/);
  assert.equal(other.asked.length, 0);
});

test("a key or a session in a page's code is refused with the reason", (t) => {
  closeAfter(t, () => Reflect.deleteProperty(globalThis, "document"));
  Object.assign(globalThis, { document: {} });
  for (const secret of [{ apiKey: "exi_secret" }, { accessToken: "exi_secret" }]) {
    assert.throws(
      () => client("https://exitability.example", secret),
      (error: unknown) =>
        error instanceof ExitabilityError &&
        error.code === "credentials_in_browser" &&
        /does not belong in browser code/.test(error.message) &&
        !error.message.includes("exi_secret"),
    );
  }
  assert.ok(client("https://exitability.example"));
});

test("a service behind a path is asked there, and another fetch is used where one is given", async () => {
  const urls: string[] = [];
  const { accuracy } = client("https://host.example/exits/", {
    fetch: async (url) => {
      urls.push(url);
      return Response.json({});
    },
  });
  await accuracy();
  assert.deepEqual(urls, ["https://host.example/exits/api/accuracy"]);
});

test("Retry-After is read as seconds and as a date, by the answer's own clock", () => {
  const nowMs = Date.parse("2026-11-21T12:00:00Z");
  const cases: readonly (readonly [Record<string, string>, number | null])[] = [
    [{}, null],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "120" }, 120],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "-1e9" }, null],
    [{ "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, 30],
    [{ "retry-after": "Sat, 21 Nov 2026 11:00:00 GMT" }, 0],
    [
      {
        "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT",
        date: "Sat, 21 Nov 2026 12:00:20 GMT",
      },
      10,
    ],
  ];
  for (const [headers, expected] of cases) {
    assert.equal(retryAfterSeconds(new Headers(headers), nowMs), expected, JSON.stringify(headers));
  }
});
