import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type HistoryGrid, type HistoryQuery, historyOf } from "#src/track/history/history.ts";
import { TOKEN_APP_NOW_MS as NOW, startTokenApp } from "#test/support/api/token-app.ts";
import { closeAfter } from "#test/support/ending.ts";
import { bucketOf } from "#test/support/markets/sample-series.ts";
import { timestamp } from "../values.ts";

/** The app of a token without history, and the ranges that its market is asked for. */
async function appWithoutHistory(t: TestContext) {
  const asked: HistoryQuery[] = [];
  const get = await startTokenApp(t, {
    async history(_mint, query) {
      asked.push(query);
      return [];
    },
    alerts: async () => [],
  });
  return { get, asked };
}

test("history is an even grid, with null for unknown points and the alerts within it", async (t) => {
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
  const get = await startTokenApp(t, {
    history: async () => [
      {
        atMs: NOW - 60_000,
        c10Sol: 10,
        depthSol: 100,
        ...{ lowestC10Sol: Math.fround(0.7), lowestDepthSol: 8, isWhole: false },
        mid: Math.fround(0.0000048),
        // Stored samples have single precision.
        slippagesPct: [1.1, 2.2, 4.4, 9.9, 18, null].map((pct) => pct && Math.fround(pct)),
        confidence: "high",
      },
      {
        ...{
          atMs: NOW,
          c10Sol: null,
          depthSol: null,
          mid: null,
          slippagesPct: [],
          confidence: null,
        },
        ...{ lowestC10Sol: null, lowestDepthSol: null, isWhole: false },
      },
    ],
    alerts: async (_mint, { fromMs, toMs }) => {
      // The grid ends on the ten seconds of the newest sample; an alert of the second after is not left out.
      assert.deepEqual([fromMs, toMs], [NOW - 1_000 - 86_400_000, NOW]);
      return [{ ...alert, startedAtMs: NOW - 1_000 }];
    },
  });
  const { body } = await get("/history");
  assert.deepEqual([body.step_seconds, body.resolution_seconds], [60, 10]);
  const [{ c10_lowest_sol, depth_lowest_sol, known_throughout }, unknown] = body.points;
  assert.deepEqual([c10_lowest_sol, depth_lowest_sol, known_throughout], [0.7, 8, false]);
  assert.deepEqual(
    [unknown.c10_lowest_sol, unknown.depth_lowest_sol, unknown.known_throughout],
    [null, null, false],
  );
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

test("a day until now has the same tag until the next sample, and every sample until then", async (t) => {
  const start = NOW - 1_000;
  const figures = { c10Sol: 10, depthSol: 100, mid: 0.5, slippagesPct: [1, 2, 3, 4, 5, 6] };
  const sample = { atMs: start, ...figures, confidence: "high", basis: 1 } as const;
  let nowMs = start;
  const markets = {
    history: async (_mint: unknown, grid: HistoryGrid) => historyOf([bucketOf(sample)], grid),
    alerts: async () => [],
  };
  const get = await startTokenApp(t, markets, { nowMs: () => nowMs });
  const first = await get("/history");
  const last = first.body.points.at(-1);
  assert.deepEqual([last.t, last.c10_sol], [timestamp(start), 10]);
  const known = { "if-none-match": String(first.headers.etag) };
  nowMs = start + 9_999;
  assert.equal((await get("/history", known)).status, 304);
  nowMs = start + 10_000;
  assert.equal((await get("/history", known)).status, 200);
  // A range that begins within the ten seconds is one.
  nowMs = start + 17_000;
  assert.equal((await get(`/history?from=${timestamp(start + 12_000)}`)).status, 200);
});

test("a range with too many points has longer steps, and the answer contains their length", async (t) => {
  const get = await startTokenApp(t, { history: async () => [], alerts: async () => [] });
  const day = `from=${new Date(NOW - 86_400_000).toISOString()}&to=${new Date(NOW).toISOString()}`;
  const { body } = await get(`/history?${day}&step=10`);
  assert.deepEqual([body.step_seconds, body.resolution_seconds], [86_400 / 2_000, 10]);
});

test("a range that begins where samples are rolled up is answered in steps of five minutes", async (t) => {
  const { get, asked } = await appWithoutHistory(t);
  const month = await get("/history?from=2026-01-01T00:00:00Z&to=2026-01-31T00:00:00Z&step=60");
  assert.deepEqual([month.body.step_seconds, month.body.resolution_seconds], [1_500, 300]);
  const hour = await get("/history?from=2026-01-01T00:07:00Z&to=2026-01-01T01:07:00Z&step=60");
  assert.deepEqual([hour.body.step_seconds, hour.body.resolution_seconds], [300, 300]);
  assert.equal(asked.at(-1)?.fromMs, Date.parse("2026-01-01T00:05:00Z"));
});

test("a range that ends in the future is answered until now, and one to come has no points", async (t) => {
  const figures = { c10Sol: 10, depthSol: 100, mid: 0.5, slippagesPct: [1, 2, 3, 4, 5, 6] };
  const sample = { atMs: NOW - 1_000, ...figures, confidence: "high", basis: 1 } as const;
  const get = await startTokenApp(t, {
    history: async (_mint, grid) => historyOf([bucketOf(sample)], grid),
    alerts: async () => [],
  });
  const range = (fromMs: number, toMs: number) =>
    `/history?from=${timestamp(fromMs)}&to=${timestamp(toMs)}&step=60`;
  const { body } = await get(range(NOW - 120_000, NOW + 300_000));
  assert.deepEqual(
    body.points.map(({ t, c10_sol }: { t: string; c10_sol: number | null }) => [t, c10_sol]),
    [
      [timestamp(NOW - 60_000), null],
      [timestamp(NOW), 10],
    ],
  );
  const next = await get(range(NOW + 60_000, NOW + 300_000));
  assert.deepEqual([next.status, next.body.points], [200, []]);
});

test("a zone's plus means the same in a query whether it is escaped or not", async (t) => {
  const { get, asked } = await appWithoutHistory(t);
  for (const plus of ["+", "%2B", "%20"])
    await get(`/history?from=2026-01-01T02:00:00${plus}02:00&to=2026-01-02T00:00:00${plus}0000`);
  const [from, to] = [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2026-01-02T00:00:00Z")];
  assert.deepEqual(
    asked.map(({ fromMs, toMs }) => [fromMs, toMs]),
    [1, 2, 3].map(() => [from, to]),
  );
});

test("a time without a zone is UTC on a machine of any zone, and a day that no month has is refused", async (t) => {
  const { TZ: zone } = process.env;
  closeAfter(t, () => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });
  process.env["TZ"] = "Asia/Tokyo";
  const { get, asked } = await appWithoutHistory(t);
  await get("/history?from=2026-01-01&to=2026-01-02T00:30");
  assert.deepEqual(
    [asked.at(-1)?.fromMs, asked.at(-1)?.toMs],
    [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2026-01-02T00:30:00Z")],
  );
  for (const from of ["2025-11-31", "2025-11-31T12:00Z", "2026-02-29T00:00:00+01:00"]) {
    const { status, body } = await get(`/history?from=${encodeURIComponent(from)}&to=2025-12-02`);
    assert.deepEqual([status, body.error], [400, "invalid_body"], from);
    assert.match(body.message, /ISO 8601/);
  }
});
