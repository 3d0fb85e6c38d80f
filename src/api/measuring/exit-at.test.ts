import assert from "node:assert/strict";
import { test } from "node:test";
import { exitOn } from "#src/measure/questions/exit-at.ts";
import { startTokenApp, TOKEN_MARKET } from "#test/support/api/token-app.ts";
import { someMarkets, someMeasurement, someSnapshot } from "#test/support/markets/assessments.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";

test("any size is priced as requested, not snapped, and the route adds up to the payment", async (t) => {
  const get = await startTokenApp(t);
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

test("a sale has the slot of the answer that was published while it was measured", async (t) => {
  const newer = { ...someMeasurement, c10Sol: 4.2 };
  for (const [findings, slot, capacity] of [
    [[], 400_000_001, 4.2],
    // Executing a sale takes a while: the newer answer may be of a later state.
    [[{ kind: "executed", venue: "raydium-cpmm" }], 400_000_000, 5.1],
  ] as const) {
    let latest = someSnapshot({ slot: 400_000_000n, findings });
    const get = await startTokenApp(t, {
      latest: () => latest,
      async exit(_mint, sale) {
        latest = someSnapshot({ slot: 400_000_001n, measurement: newer, findings });
        return exitOn(TOKEN_MARKET, sale);
      },
    });
    const { body } = await get("/exitability/at?size=1");
    assert.deepEqual([body.slot, body.capacity_sol], [slot, capacity]);
  }
});

test("an amount of tokens is priced like an amount of SOL", async (t) => {
  const get = await startTokenApp(t);
  const { body: inSol } = await get("/exitability/at?size=1");
  const { body: inTokens } = await get(`/exitability/at?unit=token&size=${inSol.tokens_sold}`);
  assert.equal(inTokens.net_lamports, inSol.net_lamports);
  const { body: padded } = await get("/exitability/at?unit=token&size=1000.000000000000000000");
  assert.equal(padded.tokens_sold, 1000);
});

test("an amount of tokens with unknown decimals is unknown, and not too small", async (t) => {
  const markets = someMarkets(() => someSnapshot({ decimals: null, measurement: null }), {
    exit: async () => assert.fail("no amount can be sold without decimals"),
  });
  const get = await startTokenApp(t, markets);
  const { body } = await get("/exitability/at?unit=token&size=1.5");
  assert.deepEqual([body.state, body.reason], ["bloqueado_dato", "blocked"]);
});

test("a size that can't be sold whole has a reason and nulls, never zeros", async (t) => {
  const get = await startTokenApp(t, {
    exit: async (_mint, sale) => exitOn(marketOf([poolOfSol(0.5)]), sale),
  });
  const { status, body } = await get("/exitability/at?unit=token&size=999999999999");
  assert.equal(status, 200);
  assert.equal(body.state, "no_exit");
  assert.equal(body.reason, "exceeds-supply");
  assert.deepEqual([body.net_sol, body.slippage_pct, body.routes], [null, null, []]);
  const unknown = await startTokenApp(t, { exit: async () => null });
  assert.equal((await unknown("/exitability/at?size=1")).body.state, "bloqueado_dato");
});
