import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { assess } from "#src/measure/assess.ts";
import type { PoolHolders } from "#src/measure/share-holders.ts";
import { stress } from "#src/measure/stress.ts";
import { AppError } from "#src/platform/app-error.ts";
import { exitOn } from "#src/track/markets.ts";
import { type Address, address } from "#src/units/address.ts";
import { createPageTokens } from "#src/users/page-tokens.ts";
import {
  NO_ACCURACY,
  SOME_MINT,
  SOME_SERVICE,
  someMarkets,
  someSnapshot,
} from "#test/support/assessments.ts";
import { buildCheckedApp } from "#test/support/conformance.ts";
import { sqliteDatabase } from "#test/support/databases.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOMEBODY } from "#test/support/markets.ts";
import { TEST_AUTH_SECRET, TEST_PUBLIC_URL, testUsers } from "#test/support/users.ts";
import { NO_WATCHING } from "#test/support/watching.ts";
import { Admission } from "../admission.ts";
import type { HttpDeps } from "../app.ts";
import { RequestCounts } from "../request-counts.ts";

const NOW = 1_790_000_001_000;
const market = marketOf([poolOfSol(100), poolOfSol(50, 0.001, { number: 2 })]);

async function startApp(t: TestContext, change: Partial<HttpDeps["markets"]> = {}) {
  const { mint: _mint, ...assessed } = assess(market);
  const app = await buildCheckedApp({
    accuracy: NO_ACCURACY,
    markets: someMarkets(() => someSnapshot(assessed), {
      exit: async (_mint, sale) => exitOn(market, sale),
      ...change,
    }),
    users: await testUsers(t, await sqliteDatabase(t), { clock: { nowMs: () => NOW } }),
    ...NO_WATCHING,
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
    clock: { nowMs: () => NOW },
    logger: pino({ level: "silent" }),
    requests: new RequestCounts(),
    admission: new Admission(),
    trustProxyHops: 1,
    service: SOME_SERVICE,
    dashboard: { directory: "/nowhere", pages: [], isBehindTls: false },
  });
  t.after(() => app.close());
  let caller = 0;
  return async (path: string, headers: Record<string, string> = {}) => {
    caller++;
    const address = headers["x-forwarded-for"] ?? `198.51.100.${caller}`;
    const response = await app.inject({
      url: `/api/token/${SOME_MINT}${path}`,
      headers: { ...headers, "x-forwarded-for": address },
    });
    return { status: response.statusCode, body: response.json(), headers: response.headers };
  };
}

test("of a mint that was read each power is none or set, with who holds it", async (t) => {
  const token = {
    ...PLAIN_TOKEN,
    freezeAuthority: SOMEBODY,
    transferHookAuthority: SOMEBODY,
    transferFee: {
      feeBps: 150,
      maximum: 2n ** 64n - 1n,
      authority: null,
      announced: { epoch: 900n, feeBps: 500, maximum: 7n },
    },
  };
  const get = await startApp(t, { snapshot: async () => someSnapshot({ token }) });
  const { status, body } = await get("");
  assert.equal(status, 200);
  assert.equal(body.supply_units, "1000000000000000");
  assert.equal(body.supply_tokens, 1_000_000_000);
  const none = { status: "none", address: null };
  const set = { status: "set", address: SOMEBODY };
  assert.deepEqual([body.mint_authority, body.freeze_authority], [none, set]);
  assert.deepEqual(body.permanent_delegate, none);
  assert.deepEqual(body.transfer_hook, { ...none, authority: set });
  assert.deepEqual(body.transfer_fee, {
    status: "set",
    fee_pct: 1.5,
    max_fee_units: "18446744073709551615",
    authority: none,
    announced: { status: "set", from_epoch: 900, fee_pct: 5, max_fee_units: "7" },
  });
  assert.deepEqual(body.pausable, { status: "none", is_paused: false, authority: none });
  assert.deepEqual([body.accounts_start_frozen, body.is_transferable], [false, true]);
});

test("a mint that can't be read has unknown powers, not none", async (t) => {
  const get = await startApp(t, {
    snapshot: async () => someSnapshot({ token: null, decimals: null, measurement: null }),
  });
  const { body } = await get("");
  const unknown = { status: "unknown", address: null };
  for (const power of ["mint_authority", "freeze_authority", "permanent_delegate"]) {
    assert.deepEqual(body[power], unknown, power);
  }
  assert.deepEqual(body.transfer_hook, { ...unknown, authority: unknown });
  assert.deepEqual(body.pausable, { status: "unknown", is_paused: null, authority: unknown });
  assert.equal(body.transfer_fee.fee_pct, null);
  assert.equal(body.transfer_fee.announced.status, "unknown");
  assert.deepEqual([body.supply_units, body.is_transferable], [null, null]);
});

test("a blocked token's pools are unknown, and an empty market's are none", async (t) => {
  const blocked = await startApp(t, {
    snapshot: async () => someSnapshot({ measurement: null, blocked: "stale" }),
  });
  const unknown = (await blocked("/pools")).body;
  assert.deepEqual([unknown.state, unknown.pools], ["bloqueado_dato", null]);
  const { mint: _mint, ...nothing } = assess(marketOf([]));
  const empty = await startApp(t, { snapshot: async () => someSnapshot(nothing) });
  const none = (await empty("/pools")).body;
  assert.deepEqual([none.state, none.pools], ["ok", []]);
});

test("pools are listed with their share of the depth, and the shares add up to 100 %", async (t) => {
  const get = await startApp(t);
  const { status, body } = await get("/pools");
  assert.equal(status, 200);
  assert.equal(body.pools.length, 2);
  for (const { program, amm } of body.pools)
    assert.deepEqual([program, amm], ["raydium-cpmm", "raydium"]);
  const shares = body.pools.map((pool: { share_pct: number }) => pool.share_pct);
  assert.ok(Math.abs(shares[0] + shares[1] - 100) < 1e-9);
  assert.ok(shares[0] > shares[1]);
});

test("any size is priced as asked, not snapped, and the route adds up to what is paid", async (t) => {
  const get = await startApp(t);
  const { body } = await get("/exitability/at?size=3.3&profile=pro");
  assert.equal(body.state, "ok");
  assert.equal(body.size_sol, 3.3);
  assert.ok(body.slippage_pct > 0 && body.slippage_pct < 10);
  const paid = body.routes.reduce(
    (sum: number, route: { net_sol: number }) => sum + route.net_sol,
    0,
  );
  assert.ok(Math.abs(paid - body.net_sol) < 1e-9);
  assert.equal(body.net_lamports, String(Math.round(body.net_sol * 1e9)));
  assert.equal(body.age_seconds, 1);
});

test("an amount of tokens is priced as well as an amount of SOL", async (t) => {
  const get = await startApp(t);
  const { body: inSol } = await get("/exitability/at?size=1");
  const { body: inTokens } = await get(`/exitability/at?unit=token&size=${inSol.tokens_sold}`);
  assert.equal(inTokens.net_lamports, inSol.net_lamports);
  const { body: padded } = await get("/exitability/at?unit=token&size=1000.000000000000000000");
  assert.equal(padded.tokens_sold, 1000);
});

test("an amount of tokens whose decimals are not known is unknown, and not too small", async (t) => {
  const markets = someMarkets(() => someSnapshot({ decimals: null, measurement: null }), {
    exit: async () => assert.fail("no amount can be sold without decimals"),
  });
  const get = await startApp(t, markets);
  const { body } = await get("/exitability/at?unit=token&size=1.5");
  assert.deepEqual([body.state, body.reason], ["bloqueado_dato", "blocked"]);
});

test("what can't be sold whole has a reason and nulls, never zeros", async (t) => {
  const get = await startApp(t, {
    exit: async (_mint, sale) => exitOn(marketOf([poolOfSol(0.5)]), sale),
  });
  const { status, body } = await get("/exitability/at?unit=token&size=999999999999");
  assert.equal(status, 200);
  assert.equal(body.state, "no_exit");
  assert.equal(body.reason, "exceeds-supply");
  assert.deepEqual([body.net_sol, body.slippage_pct, body.routes], [null, null, []]);
  const unknown = await startApp(t, { exit: async () => null });
  assert.equal((await unknown("/exitability/at?size=1")).body.state, "bloqueado_dato");
});

test("a wrong size, unit, time or step is refused and says how it is written", async (t) => {
  const get = await startApp(t);
  const wrong: readonly (readonly [string, string])[] = [
    ["/exitability/at", "invalid_size"],
    ["/exitability/at?size=0.001", "invalid_size"],
    ["/exitability/at?size=1001", "invalid_size"],
    ["/exitability/at?size=1&unit=eur", "invalid_size"],
    ["/exitability/at?size=0.1234567891", "invalid_size"],
    ["/exitability/at?size=-1&unit=token", "invalid_size"],
    ["/exitability/at?size=0.000&unit=token", "invalid_size"],
    ["/exitability/at?size=1.123456789012345&unit=token", "invalid_size"],
    ["/exitability/at?size=1&profile=x", "invalid_profile"],
    ["/history?from=yesterday", "invalid_body"],
    ["/history?from=hello+1", "invalid_body"],
    ["/history?step=1", "invalid_body"],
    ["?at_slot=400000000", "invalid_body"],
    ["/pools?at_slot=400000000", "invalid_body"],
    ["/history?from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z", "invalid_body"],
    ["/history?from=2026-03-01T00:00:00Z&to=2026-01-01T00:00:00Z", "invalid_body"],
  ];
  for (const [path, code] of wrong) {
    const { status, body } = await get(path);
    assert.deepEqual([status, body.error], [400, code], path);
  }
});

test("history is an even grid, with null where nothing was known and alerts within it", async (t) => {
  const alert = {
    id: 7n,
    tokenId: 1n,
    detector: "jump",
    cause: "withdrawn",
    share: 0.82,
    causes: null,
    slot: 9n,
    endedAtMs: null,
    before: { c10Sol: 10, depthSol: 100 },
    after: { c10Sol: 5, depthSol: null },
  };
  const get = await startApp(t, {
    history: async () => [
      {
        atMs: NOW - 60_000,
        c10Sol: 10,
        depthSol: 100,
        mid: Math.fround(0.0000048),
        // As a stored sample gives them: in single precision.
        slippagePct: [1.1, 2.2, 4.4, 9.9, 18, null].map((pct) => pct && Math.fround(pct)),
        confidence: "high",
      },
      { atMs: NOW, c10Sol: null, depthSol: null, mid: null, slippagePct: [], confidence: null },
    ],
    alerts: async (_mint, { fromMs, toMs }) => {
      assert.deepEqual([fromMs, toMs], [NOW - 86_400_000, NOW]);
      return [{ ...alert, startedAtMs: NOW - 1_000 }];
    },
  });
  const { body } = await get("/history");
  assert.equal(body.step_seconds, 60);
  assert.deepEqual(body.points[0].slippage, {
    "0.5": 1.1,
    "1": 2.2,
    "2": 4.4,
    "5": 9.9,
    "10": 18,
    "50": null,
  });
  assert.equal(body.points[0].precio_mid, 0.0000048);
  assert.equal(body.points[0].score, 86.8);
  assert.equal(body.points[0].confianza, "alta");
  assert.equal(body.points[1].c10_sol, null);
  assert.equal(body.points[1].precio_mid, null);
  assert.equal(body.points[1].score, null);
  assert.equal(body.points[1].slippage["0.5"], null);
  assert.equal(body.alerts.length, 1);
  assert.equal(body.alerts[0].cause, "liquidity-withdrawn");
  assert.equal(body.alerts[0].share_pct, 82);
  assert.equal(body.alerts[0].depth_after_sol, null);
});

test("a range with too many points has longer steps, and the answer contains their length", async (t) => {
  const get = await startApp(t, { history: async () => [], alerts: async () => [] });
  const { body } = await get("/history?from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z&step=60");
  assert.equal(body.step_seconds, (30 * 86_400) / 2_000);
});

const [first, second] = market.pools;
const owner = address("A1ice11111111111111111111111111111111111111");

function heldBy(shares: bigint): PoolHolders {
  return {
    kind: "known",
    issued: 1_000n,
    owners: shares === 0n ? [] : [{ owner, standing: "wallet", shares }],
    burned: 950n - shares,
    locked: 40n,
    unlisted: 10n,
    slot: 300_000_000n,
  };
}

/** A route with given holders of the shares of the two pools; undefined: not read. */
function stressedBy(...holders: readonly (PoolHolders | undefined)[]) {
  const byPool = new Map<Address, PoolHolders>();
  for (const [index, known] of holders.entries()) {
    const pool = market.pools[index];
    if (pool !== undefined && known !== undefined) byPool.set(pool.address, known);
  }
  return { stressed: async () => stress(market, byPool) };
}

test("the exits after the largest withdrawal are listed beside the current ones, with the owner", async (t) => {
  const get = await startApp(t, stressedBy(heldBy(900n), heldBy(0n)));
  const { status, body, headers } = await get("/exitability/stressed?profile=pro");
  assert.equal(status, 200);
  assert.equal(headers["x-ratelimit-remaining"], "4");
  const ordinary = (await get("/exitability?profile=pro")).body;
  assert.deepEqual(body.now, {
    depth_sol: 150,
    precio_mid: ordinary.precio_mid,
    score: ordinary.score,
    exit_max_sol: ordinary.exit_max_sol,
    slippage: ordinary.slippage.all,
  });
  assert.equal(body.state, "ok");
  assert.equal(body.profile, "pro");
  assert.equal(body.stressed.depth_sol, 60);
  assert.ok(body.stressed.slippage["10"] > body.now.slippage["10"]);
  assert.deepEqual(body.withdrawal, {
    owner,
    owner_kind: "wallet",
    depth_sol: 90,
    share_pct: 60,
  });
  assert.deepEqual(body.pools, [
    {
      program: "raydium-cpmm",
      address: first?.address,
      depth_sol: 100,
      who: "known",
      reason: null,
      leaving_sol: 90,
      largest_pct: 90,
      burned_pct: 5,
      locked_pct: 4,
      unlisted_pct: 1,
      holders_slot: 300_000_000,
    },
    {
      program: "raydium-cpmm",
      address: second?.address,
      depth_sol: 50,
      who: "known",
      reason: null,
      leaving_sol: 0,
      largest_pct: 0,
      burned_pct: 95,
      locked_pct: 4,
      unlisted_pct: 1,
      holders_slot: 300_000_000,
    },
  ]);
});

test("what is not known of a pool's owners is null with its reason, and the answer says it is partial", async (t) => {
  const get = await startApp(t, stressedBy(heldBy(900n)));
  const { body } = await get("/exitability/stressed");
  assert.equal(body.state, "partial");
  assert.partialDeepStrictEqual(body.pools[1], {
    who: "unknown",
    reason: "holders-not-read",
    leaving_sol: null,
    largest_pct: null,
    burned_pct: null,
    holders_slot: null,
  });
});

test("without known shares there is no stressed ladder, and a blocked token has neither", async (t) => {
  const unknown = await startApp(t, stressedBy());
  const { body } = await unknown("/exitability/stressed");
  assert.equal(body.state, "unknown");
  assert.ok(body.now);
  assert.deepEqual([body.stressed, body.withdrawal], [null, null]);
  for (const stressed of [null, stress(marketOf([poolOfSol(1)], { token: null }), new Map())]) {
    const blocked = await startApp(t, { stressed: async () => stressed });
    const { status, body } = await blocked("/exitability/stressed");
    assert.equal(status, 200);
    assert.equal(body.state, "bloqueado_dato");
    assert.deepEqual([body.now, body.stressed, body.withdrawal], [null, null, null]);
    assert.equal(body.pools?.length ?? null, stressed === null ? null : 1);
  }
});

test("a stressed exit that can't be asked for is refused, and not counted", async (t) => {
  const caller = { "x-forwarded-for": "203.0.113.9" };
  for (const [code, status] of [
    ["chain_unavailable", 503],
    ["overloaded", 503],
  ] as const) {
    const get = await startApp(t, {
      stressed: async () => {
        throw new AppError(code, { publicMessage: "Not just now." });
      },
    });
    const refused = await get("/exitability/stressed", caller);
    assert.deepEqual([refused.status, refused.body.error], [status, code]);
    assert.equal(refused.headers["x-ratelimit-remaining"], "5");
    const wrong = await get("/exitability/stressed?profile=x", caller);
    assert.deepEqual([wrong.status, wrong.body.error], [400, "invalid_profile"]);
  }
});

test("on the dashboard everything on one token's page counts once an hour", async (t) => {
  const get = await startApp(t);
  const pageTokens = createPageTokens({ authSecret: TEST_AUTH_SECRET, publicUrl: TEST_PUBLIC_URL });
  const [cookie = ""] = pageTokens.cookie(NOW).split(";");
  const site = "same-origin";
  const page = { "sec-fetch-site": site, "x-forwarded-for": "203.0.113.5", cookie };
  for (const path of ["/exitability", "", "/pools", "/exitability/at?size=1", "/exitability"]) {
    const { status, headers } = await get(path, page);
    assert.equal(status, 200, path);
    assert.equal(headers["x-ratelimit-remaining"], "4", path);
  }
  const other = { "x-forwarded-for": "203.0.113.5" };
  assert.equal((await get("/pools", other)).headers["x-ratelimit-remaining"], "3");
});
