import assert from "node:assert/strict";
import { test } from "node:test";
import { lamportsPerMicroUsd } from "#src/measure/market/usd-price.ts";
import { exitOn } from "#src/measure/questions/exit-at.ts";
import { answerExit } from "#src/measure/questions/exit-question.ts";
import { AppError } from "#src/platform/app-error.ts";
import { oneApp, type TestApp } from "#test/support/api/app.ts";
import { SOME_MINT, someMarkets, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol, usdcPool } from "#test/support/markets/markets.ts";

const AT = `/api/token/${SOME_MINT}/exitability/at`;
const market = marketOf([poolOfSol(100), poolOfSol(50, 0.001, { number: 2 })]);
const microUsd = lamportsPerMicroUsd([usdcPool()]);
const markets = someMarkets(() => someSnapshot(), {
  exit: async (_mint, sale) => exitOn(market, sale),
  answerExit: async (_mint, question) => answerExit(market, question, microUsd),
});

/** Each question comes from an address of its own. */
function asker(send: TestApp["send"]) {
  let caller = 0;
  return async (query: string) => {
    const headers = { "x-forwarded-for": `198.51.100.${++caller}` };
    const response = await send("GET", `${AT}?${query}`, { headers });
    return { status: response.statusCode, body: response.json() };
  };
}

test("the largest size within a cost is a sale that costs no more, and says what limits it", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const get = asker(send);
      const { body } = await get("max_cost=10&profile=pro&detail=full");
      assert.equal(body.state, "ok");
      assert.deepEqual(body.max_cost, { max_cost_pct: 10, limited_by: "cost" });
      assert.ok(body.slippage_pct <= 10 && body.slippage_pct > 9.9999, body.slippage_pct);
      assert.ok(body.detail.gap_bps >= 0 && body.detail.gap_bps < 0.1);
      assert.ok(body.detail.round_trip.loss_pct > 0.4);
      const same = await get(`unit=token&profile=pro&size=${body.tokens_sold}`);
      assert.equal(same.body.net_lamports, body.net_lamports);
      const bySize = (await get(`profile=pro&size=${body.size_sol}`)).body;
      for (const field of ["net_lamports", "size_sol", "tokens_sold", "slippage_pct"])
        assert.equal(bySize[field], body[field], field);
      assert.deepEqual([same.body.max_cost, same.body.usd, same.body.detail], [null, null, null]);
      const none = (await get("max_cost=0.1")).body;
      assert.deepEqual([none.state, none.reason], ["no_exit", "above-max-cost"]);
      assert.deepEqual(none.max_cost, { max_cost_pct: 0.1, limited_by: null });
    },
    { markets },
  );
});

test("a size in USD is converted by the stable pools; without them nothing is known", async (t) => {
  const without = { ...markets };
  without.answerExit = async (_mint, question) => answerExit(market, question, null);
  await oneApp(
    t,
    async ({ send }) => {
      const { body } = await asker(send)("unit=usd&size=400.5");
      assert.equal(body.size_sol, 2.0025);
      assert.equal(body.usd.usd_per_sol, 200);
      assert.equal(body.usd.size_usd, 400.5);
      const tooMuch = (await asker(send)("unit=usd&size=900000")).body;
      assert.deepEqual([tooMuch.state, tooMuch.reason], ["no_exit", "size-not-allowed"]);
    },
    { markets },
  );
  await oneApp(
    t,
    async ({ send }) => {
      const { body } = await asker(send)("unit=usd&size=400");
      assert.deepEqual(
        [body.state, body.reason, body.usd],
        ["bloqueado_dato", "no-usd-price", null],
      );
    },
    { markets: without },
  );
});

test("a question without a size and without a cost, or with both, or with no percentage, is refused", async (t) => {
  await oneApp(
    t,
    async ({ send }) => {
      const get = asker(send);
      for (const [query, code] of [
        ["profile=pro", "invalid_size"],
        ["size=1&max_cost=10", "invalid_size"],
        ["max_cost=0", "invalid_body"],
        ["max_cost=99.1", "invalid_body"],
        ["max_cost=1e1", "invalid_body"],
        ["max_cost=10.00001", "invalid_body"],
        ["size=1.0000001&unit=usd", "invalid_size"],
      ] as const) {
        const { status, body } = await get(query);
        assert.deepEqual([status, body.error], [400, code], query);
      }
    },
    { markets },
  );
});

test("a batch with a cost has the largest sale of each token, and unknown where the tracker can't be reached", async (t) => {
  const path = "/api/exitability/batch";
  const payload = { mints: [SOME_MINT, "nonsense"], max_cost: 10, profile: "pro" };
  await oneApp(
    t,
    async ({ send }) => {
      const [item, wrong] = (await send("POST", path, { payload })).json().items;
      const alone = (await asker(send)("max_cost=10&profile=pro")).body;
      assert.equal(item.within_cost.net_lamports, alone.net_lamports);
      assert.equal(item.within_cost.limited_by, "cost");
      assert.equal(wrong.within_cost, null);
      const plain = await send("POST", path, { payload: { mints: [SOME_MINT] } });
      assert.equal(plain.json().items[0].within_cost, null);
    },
    { markets },
  );
  const unreachable = { ...markets };
  unreachable.answerExit = async () => {
    throw new AppError("chain_unavailable", { publicMessage: "Not just now." });
  };
  await oneApp(
    t,
    async ({ send }) => {
      const [item] = (await send("POST", path, { payload })).json().items;
      assert.deepEqual([item.status, item.within_cost.state], [200, "bloqueado_dato"]);
      assert.equal(item.within_cost.size_sol, null);
    },
    { markets: unreachable },
  );
});

test("a largest size that fails on our side is unknown, and leaves the token its answer", async (t) => {
  const failing = {
    ...markets,
    answerExit: () => Promise.reject(new RangeError("a bug of ours")),
  };
  await oneApp(
    t,
    async ({ send }) => {
      const payload = { mints: [SOME_MINT], max_cost: 10 };
      const response = await send("POST", "/api/exitability/batch", { payload });
      const [item] = response.json().items;
      const alone = await send("GET", `/api/token/${SOME_MINT}/exitability`);
      assert.deepEqual([item.status, item.exitability], [200, alone.json()]);
      assert.deepEqual(item.within_cost, {
        max_cost_pct: 10,
        state: "bloqueado_dato",
        limited_by: null,
        size_sol: null,
        sold_units: null,
        net_lamports: null,
        slippage_pct: null,
      });
      assert.equal(response.headers["x-ratelimit-remaining"], "4");
    },
    { markets: failing },
  );
});
