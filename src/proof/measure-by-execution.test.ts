import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import { exitAt } from "#src/measure/exit-at.ts";
import type { Market } from "#src/measure/market.ts";
import { measureCurve } from "#src/track/measure-curve.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { startProofChain } from "#test/support/proof-chain.ts";
import { MeasureByExecution } from "./measure-by-execution.ts";

/** The pools without their model: any quote of it fails the test. */
function masked(market: Market): Market {
  const never = () => assert.fail("the model was asked");
  const mask = (pool: QuotablePool): QuotablePool => ({
    ...pool,
    quote: never,
    quoteAscending: never,
    sell: never,
    buy: never,
  });
  return { ...market, pools: market.pools.map(mask), hopPools: market.hopPools.map(mask) };
}

async function startMeasuring(t: TestContext, venue: VenueId, file: string) {
  const chain = await startProofChain(t, { venue, file });
  if (chain === null) return null;
  const { prover } = chain.openProofs(null);
  const measuring = new MeasureByExecution({ prover, venues: () => new Set([venue]) });
  const ground = { ...chain.ground, market: masked(chain.ground.market) };
  return { market: chain.ground.market, measuring, ground };
}

for (const [venue, file] of [
  ["pump-curve", "pump-curve.bytecode"],
  ["pumpswap", "pumpswap.bytecode"],
] as const) {
  test(`a venue without a model gets the same ladder, curve and C10 by execution, to the lamport: ${venue}`, async (t) => {
    const opened = await startMeasuring(t, venue, file);
    if (opened === null) return;
    const { market, measuring, ground } = opened;
    const modelled = assess(market);
    const executed = await measuring.run(ground, assess);
    assert.ok(modelled.measurement !== null && modelled.measurement.c10Sol > 0);
    assert.deepEqual(executed.measurement, modelled.measurement);
    assert.ok(executed.findings.some((finding) => finding.kind === "executed"));
    for (const profile of ["retail", "pro"] as const) {
      const size = (3n * LAMPORTS_PER_SOL) / 7n;
      const exit = await measuring.run(ground, (asked) => exitAt(asked, size, profile));
      assert.deepEqual(exit, exitAt(market, size, profile));
    }
    assert.deepEqual(
      await measureCurve(market, (measure) => measuring.run(ground, measure)),
      await measureCurve(market, (measure) => measure(market)),
    );
  });
}
