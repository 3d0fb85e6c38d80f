import assert from "node:assert/strict";
import { test } from "node:test";
import { exitOn } from "#src/track/markets.ts";
import { someMeasurement, someSnapshot } from "#test/support/assessments.ts";
import { marketOf, poolOfSol } from "#test/support/markets.ts";
import { startTokenApp, TOKEN_MARKET } from "#test/support/token-app.ts";

test("all points of a curve are of the market whose slot it has, also if a newer one came meanwhile", async (t) => {
  const deeper = marketOf([poolOfSol(1_000)]);
  let latest = someSnapshot({ slot: 400_000_000n });
  let asked = 0;
  const get = await startTokenApp(t, {
    latest: () => latest,
    async exit(_mint, sale) {
      if (++asked === 7)
        latest = someSnapshot({ slot: 400_000_001n, measurement: { ...someMeasurement } });
      return exitOn(asked < 7 ? TOKEN_MARKET : deeper, sale);
    },
  });
  const { body } = await get("/exitability/curve");
  assert.equal(body.slot, 400_000_001);
  for (const { size_sol, retail_pct } of body.points) {
    const sizeLamports = BigInt(Math.round(size_sol * 1e9));
    const exit = exitOn(deeper, { profile: "retail", sizeLamports });
    assert.ok(exit !== null && exit.kind !== "unsellable");
    assert.equal(retail_pct, exit.slippagePct, `${size_sol} SOL`);
  }
});
