import assert from "node:assert/strict";
import { test } from "node:test";
import { exitOn } from "#src/measure/questions/exit-at.ts";
import { measureCurve } from "#src/track/answers/measure-curve.ts";
import { startTokenApp } from "#test/support/api/token-app.ts";
import { SOME_MINT } from "#test/support/markets/assessments.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol } from "#test/support/markets/markets.ts";

test("all points of a curve are of the market whose slot it has, also if a newer one came meanwhile", async (t) => {
  const stateTimeMs = 1_790_000_000_800;
  const deeper = marketOf([poolOfSol(1_000)], { slot: 400_000_001n, stateTimeMs });
  const asked: unknown[] = [];
  const get = await startTokenApp(t, {
    async curve(mint) {
      asked.push(mint);
      return measureCurve(deeper, (measure) => measure(deeper));
    },
  });
  const { body } = await get("/exitability/curve");
  assert.deepEqual(asked, [SOME_MINT]);
  assert.deepEqual(
    [body.slot, body.updated_at],
    [400_000_001, new Date(stateTimeMs).toISOString()],
  );
  assert.equal(body.points.length, 20);
  for (const { size_sol, retail_pct, pro_pct } of body.points) {
    const sizeLamports = BigInt(Math.round(size_sol * 1e9));
    for (const [profile, pct] of [
      ["retail", retail_pct],
      ["pro", pro_pct],
    ] as const) {
      const exit = exitOn(deeper, { profile, sizeLamports });
      assert.ok(exit.kind !== "unsellable");
      assert.equal(pct, exit.slippagePct, `${size_sol} SOL, ${profile}`);
    }
  }
});

test("a curve says whether its nulls are unknown, or sizes that can't be sold whole", async (t) => {
  // Worth 50 SOL.
  const scarce = { ...PLAIN_TOKEN, supply: 50_000_000_000_000n };
  for (const [market, state] of [
    [marketOf([poolOfSol(100)], { token: null }), "bloqueado_dato"],
    [marketOf([poolOfSol(100)], { token: scarce }), "ok"],
    [marketOf([]), "ok"],
  ] as const) {
    const get = await startTokenApp(t, {
      curve: async () => measureCurve(market, (measure) => measure(market)),
    });
    const { body } = await get("/exitability/curve");
    assert.equal(body.state, state);
    assert.equal(body.points.at(-1).pro_pct, null);
  }
});

test("a curve of a token without a held market has no known point", async (t) => {
  const get = await startTokenApp(t, { curve: async () => null });
  const { body } = await get("/exitability/curve");
  assert.equal(body.state, "bloqueado_dato");
  assert.equal(body.points.length, 20);
  for (const { retail_pct, pro_pct } of body.points)
    assert.deepEqual([retail_pct, pro_pct], [null, null]);
});
