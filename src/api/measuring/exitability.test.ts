import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import { USDC, WSOL } from "#src/units/known-addresses.ts";
import { buildCheckedApp } from "#test/support/api/conformance.ts";
import { plainHttpDeps } from "#test/support/api/http-deps.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import {
  SOME_MINT,
  someMarkets,
  someMeasurement,
  someSnapshot,
} from "#test/support/markets/assessments.ts";
import { testUsers } from "#test/support/users/users.ts";

const NOON = Date.UTC(2026, 10, 20, 12);

type Setting = {
  readonly answers?: (mint: string) => MarketSnapshot | Promise<MarketSnapshot>;
  readonly trustProxyHops?: number;
};

async function startApp(t: TestContext, setting: Setting = {}) {
  const clock = { nowMs: NOON };
  const app = await buildCheckedApp({
    ...plainHttpDeps(),
    markets: someMarkets(setting.answers ?? (() => someSnapshot())),
    users: await testUsers(t, await sqliteDatabase(t), { clock: { nowMs: () => clock.nowMs } }),
    clock: { nowMs: () => clock.nowMs },
    trustProxyHops: setting.trustProxyHops ?? 0,
  });
  closeAfter(t, () => app.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.inject({ method: "GET", url: path, headers });
  return { app, get, clock };
}

const PATH = `/api/token/${SOME_MINT}/exitability`;

test("an answer holds every field of the contract, in its words", async (t) => {
  const { get } = await startApp(t);
  const response = await get(`${PATH}?size=3.5`);
  assert.equal(response.statusCode, 200);
  assert.deepEqual(response.json(), {
    state: "ok",
    token_id: SOME_MINT,
    fase: "migrated",
    amm: "pumpswap",
    calidad_dato: "suficiente",
    confianza: "alta",
    aviso: null,
    depth_sol: 45.2,
    precio_mid: 3e-8,
    score: 71.5,
    exit_max_sol: 5,
    slippage: {
      size_requested: 3.5,
      size_used: 5,
      slip_pct: 9.9,
      all: { "0.5": 1.1, "1": 2.2, "2": 4.4, "5": 9.9, "10": 18, "50": null },
    },
    trend: "stable",
    alerta_deterioro: false,
    updated_at: "2026-10-05T12:00:00.123Z",
    profile: "retail",
  });
  assert.equal(response.headers["x-chain"], "demo");
  assert.match(String(response.headers["content-type"]), /^application\/json; charset=utf-8$/);
});

test("the profile chooses slippage, score and exit_max_sol, and nothing else", async (t) => {
  const { get } = await startApp(t);
  const retail = (await get(PATH)).json();
  const pro = (await get(`${PATH}?profile=pro`)).json();
  assert.deepEqual({ ...pro, score: 71.5, exit_max_sol: 5, profile: "retail" }, retail);
  assert.equal(pro.score, 60);
  assert.equal(pro.exit_max_sol, 10);
});

test("a blocked token answers null where nothing is known, never 0", async (t) => {
  const { get } = await startApp(t, {
    answers: () => someSnapshot({ measurement: null, blocked: "stale" }),
  });
  const body = (await get(PATH)).json();
  assert.equal(body.state, "bloqueado_dato");
  assert.equal(body.calidad_dato, "insuficiente");
  assert.equal(body.confianza, "baja");
  assert.equal(typeof body.aviso, "string");
  for (const field of ["depth_sol", "precio_mid", "score", "exit_max_sol"]) {
    assert.equal(body[field], null, field);
  }
  assert.equal(body.slippage.slip_pct, null);
  assert.deepEqual(new Set(Object.values(body.slippage.all)), new Set([null]));
  assert.equal(body.fase, "migrated");
});

test("a token of family otro above 10 SOL is blocked by size, and the rest is filled", async (t) => {
  const { get } = await startApp(t, { answers: () => someSnapshot({ family: "other" }) });
  const body = (await get(`${PATH}?size=10.01`)).json();
  assert.equal(body.state, "bloqueado_tamano_amm");
  assert.equal(body.slippage.slip_pct, null);
  assert.equal(body.slippage.all["10"], 18);
  assert.equal(body.depth_sol, 45.2);
  assert.equal((await get(`${PATH}?size=10`)).json().state, "ok");
});

test("a token whose pools are all empty is an answer: no way out", async (t) => {
  const ladder = { slippagesPct: Array(6).fill(null), score: 0, exitMaxSol: 0 };
  const { get } = await startApp(t, {
    answers: () =>
      someSnapshot({
        measurement: {
          ...someMeasurement,
          depthLamports: 0n,
          midPrice: null,
          retail: ladder,
          pro: ladder,
          c10Sol: 0,
        },
      }),
  });
  const body = (await get(PATH)).json();
  assert.equal(body.state, "ok");
  assert.deepEqual(
    [body.depth_sol, body.precio_mid, body.score, body.exit_max_sol, body.slippage.slip_pct],
    [0, null, 0, 0, null],
  );
});

test("no pool ever found, no address, and SOL itself answer 404, each with its reason", async (t) => {
  const { get } = await startApp(t, {
    answers: () => ({ kind: "not-found", mint: SOME_MINT }),
  });
  const ids = [
    SOME_MINT,
    WSOL,
    "abc",
    "1".repeat(31),
    "%00",
    `${SOME_MINT}x`,
    "",
    "1".repeat(9_000),
  ];
  for (const id of ids) {
    const response = await get(`/api/token/${id}/exitability?profile=pro`);
    assert.equal(response.statusCode, 404, id);
    const body = response.json();
    assert.equal(body.error, "not_found");
    assert.equal(body.state, "not_found");
    assert.equal(body.profile, "pro");
    assert.equal(body.token_id, decodeURIComponent(id));
    assert.ok(response.headers["x-ratelimit-limit"], id);
  }
  assert.match((await get(`/api/token/${WSOL}/exitability`)).json().message, /SOL itself/);
});

test("the 404 of a pool's address names its token", async (t) => {
  const { get } = await startApp(t, {
    answers: () => ({ kind: "not-found", mint: SOME_MINT, poolOf: USDC }),
  });
  const response = await get(`/api/token/${SOME_MINT}/exitability`);
  assert.equal(response.statusCode, 404);
  const { error, message, pool_of } = response.json();
  assert.deepEqual([error, pool_of], ["not_found", USDC]);
  assert.equal(message, `${SOME_MINT} is a pool of ${USDC}: ask for that token.`);
});

test("an id that is not well encoded is not an address either, and is returned unchanged", async (t) => {
  const { get } = await startApp(t);
  for (const id of ["%", "%zz", "%ff", "%c3%", "a%20%"]) {
    const response = await get(`/api/token/${id}/exitability`);
    assert.equal(response.statusCode, 404, id);
    assert.equal(response.json().token_id, id);
    assert.ok(response.headers["x-request-id"], id);
  }
});

test("a wrong profile, size, key or token is refused with its code and is not counted", async (t) => {
  const { get } = await startApp(t);
  const wrong: readonly (readonly [string, number, string, Record<string, string>])[] = [
    [`${PATH}?profile=whale`, 400, "invalid_profile", {}],
    [`${PATH}?profile=retail&profile=pro`, 400, "invalid_profile", {}],
    [`${PATH}?profile=`, 400, "invalid_profile", {}],
    [`${PATH}?size=0`, 400, "invalid_size", {}],
    [`${PATH}?size=1000.5`, 400, "invalid_size", {}],
    [`${PATH}?size=1e2`, 400, "invalid_size", {}],
    [`${PATH}?size=1&size=2`, 400, "invalid_size", {}],
    [`${PATH}?size=`, 400, "invalid_size", {}],
    [PATH, 401, "unauthorized", { "x-api-key": "exi_nothing" }],
    [`${PATH}?size=0`, 401, "unauthorized", { "x-api-key": "" }],
    // As sockets deliver "Bearer " with nothing behind it.
    [PATH, 401, "unauthorized", { authorization: "Bearer" }],
  ];
  for (const [path, status, code, headers] of wrong) {
    const response = await get(path, headers);
    assert.equal(response.statusCode, status, path);
    assert.equal(response.json().error, code, path);
    assert.equal(response.headers["x-ratelimit-remaining"], "5", path);
    assert.equal(response.headers["x-ratelimit-limit"], "5", path);
  }
});

test("the sixth anonymous query of a day is refused with the contract's body", async (t) => {
  const { get, clock } = await startApp(t);
  for (let left = 4; left >= 0; left--) {
    const response = await get(PATH);
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["x-ratelimit-remaining"], String(left));
  }
  const refused = await get(PATH);
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers["retry-after"], "86400");
  assert.equal(refused.headers["x-ratelimit-remaining"], "0");
  assert.match(String(refused.headers["ratelimit-policy"]), /^"day";q=5;w=86400$/);
  assert.match(String(refused.headers.ratelimit), /^"day";r=0;t=43200$/);
  const { error, used, limit, register_url, waitlist_url, message, upgrade_cta } = refused.json();
  assert.deepEqual(
    { error, used, limit, register_url, waitlist_url },
    {
      error: "rate_limit_exceeded",
      used: 5,
      limit: 5,
      register_url: "/api/oracle/register",
      waitlist_url: "/api/oracle/waitlist",
    },
  );
  assert.ok(message.length > 0 && upgrade_cta.length > 0);
  clock.nowMs = Date.UTC(2026, 10, 21);
  assert.equal((await get(PATH)).headers["x-ratelimit-remaining"], "4");
});

test("200 parallel queries on a limit of 5 pass exactly 5", async (t) => {
  const { get, clock } = await startApp(t);
  const statuses: number[] = [];
  // Ten a minute is fair use: spread over minutes, the day's gate alone decides.
  for (let minute = 0; minute < 20; minute++) {
    clock.nowMs = NOON + minute * 60_000;
    const responses = await Promise.all(Array.from({ length: 10 }, () => get(PATH)));
    statuses.push(...responses.map(({ statusCode }) => statusCode));
  }
  assert.equal(statuses.length, 200);
  assert.equal(statuses.filter((status) => status === 200).length, 5);
});

test("forwarded addresses are trusted only from the number of proxies in TRUST_PROXY", async (t) => {
  const spoofed = await startApp(t);
  for (let query = 0; query < 5; query++) {
    await spoofed.get(PATH, { "x-forwarded-for": `203.0.113.${query}` });
  }
  assert.equal((await spoofed.get(PATH, { "x-forwarded-for": "203.0.113.9" })).statusCode, 429);

  const proxied = await startApp(t, { trustProxyHops: 1 });
  const from = (address: string) => proxied.get(PATH, { "x-forwarded-for": address });
  for (let query = 0; query < 5; query++) {
    assert.equal((await from(`2001:db8:1:2::${query}`)).statusCode, 200);
  }
  assert.equal((await from("2001:db8:1:2:ffff::1")).statusCode, 429, "one /64 is one caller");
  assert.equal((await from("2001:db8:1:3::1")).statusCode, 200);
  assert.equal((await from("::ffff:198.51.100.7")).headers["x-ratelimit-remaining"], "4");
  assert.equal((await from("198.51.100.7")).headers["x-ratelimit-remaining"], "3");
  assert.equal((await from("10.0.0.1, 198.51.100.7")).headers["x-ratelimit-remaining"], "2");
});

test("what was not done is not counted: chain unreachable, or a failure of ours", async (t) => {
  const unreachable = await startApp(t, {
    answers: () => ({ kind: "unavailable", mint: SOME_MINT }),
  });
  const response = await unreachable.get(PATH);
  assert.equal(response.statusCode, 503);
  assert.equal(response.json().error, "chain_unavailable");
  assert.ok(Number(response.headers["retry-after"]) > 0);
  assert.equal(response.headers["x-ratelimit-remaining"], "5");

  const failing = await startApp(t, {
    answers: () => {
      throw new Error("a secret detail");
    },
  });
  const failure = await failing.get(PATH);
  assert.equal(failure.statusCode, 500);
  assert.equal(failure.json().error, "server_error");
  assert.doesNotMatch(failure.body, /secret/);
  assert.equal(failure.headers["x-ratelimit-remaining"], "5");
});

test("the notice speaks the language that the request prefers", async (t) => {
  const { get } = await startApp(t, {
    answers: () => someSnapshot({ findings: [{ kind: "freeze-authority" }] }),
  });
  assert.match((await get(PATH)).json().aviso, /congelar/);
  const english = await get(PATH, { "accept-language": "en-GB,es;q=0.5" });
  assert.match(english.json().aviso, /freeze/);
  assert.equal(english.json().confianza, "media");
});

test("another method is 405 and names what is possible; another path is 404", async (t) => {
  const { app, get } = await startApp(t);
  const response = await app.inject({ method: "POST", url: PATH, payload: {} });
  assert.equal(response.statusCode, 405);
  assert.equal(response.json().error, "method_not_allowed");
  assert.match(String(response.headers.allow), /GET/);
  assert.match(String(response.headers["x-ratelimit-limit"]), /^\d+$/);
  assert.match(String(response.headers["ratelimit-policy"]), /q=\d+/);
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] as const) {
    const refused = await app.inject({ method: method as "PUT", url: PATH });
    assert.deepEqual([refused.statusCode, refused.headers.allow], [405, "GET, HEAD"], method);
  }
  assert.equal((await get("/api/nothing")).json().error, "not_found");
  assert.equal((await get("/healthz")).statusCode, 200);
  assert.equal((await get("/readyz")).statusCode, 200);
});
