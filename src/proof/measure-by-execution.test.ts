import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { assess } from "#src/measure/assess.ts";
import type { Market } from "#src/measure/market/market.ts";
import { exitAt } from "#src/measure/questions/exit-at.ts";
import { measureCurve } from "#src/track/answers/measure-curve.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { startProofChain } from "#test/support/chain/proof-chain.ts";
import { marketOf, poolOfSol } from "#test/support/markets/markets.ts";
import { MeasureByExecution } from "./measure-by-execution.ts";
import { NotExecuted } from "./prover.ts";

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

const VENUE = "pumpswap";
const HONEST = poolOfSol(100, 0.001, { number: 1, venue: VENUE });
const OTHER = poolOfSol(20, 0.001, { number: 2, venue: VENUE });
const ODD = poolOfSol(2, 0.001, { number: 3, venue: VENUE });

/** Executes as the model says; fails in `odd` pools, and in all of them for a reason that no pool has. */
function measuringWithout(odd: readonly QuotablePool[], isOfPools = true) {
  const pools = new Map([HONEST, OTHER, ODD].map((pool) => [pool.address, pool]));
  const isOdd = (address: string): boolean => odd.some((pool) => pool.address === address);
  return new MeasureByExecution({
    venues: () => new Set([VENUE]),
    prover: {
      quote: async (asked) =>
        asked.map(({ pool: address, amountsIn }) => {
          if (isOdd(address)) throw new NotExecuted("odd", isOfPools ? address : null);
          let pool = pools.get(address) ?? assert.fail("another pool");
          let amount: bigint | null = null;
          for (const amountIn of amountsIn) {
            const sale = pool.sell(amountIn);
            amount = sale.kind === "filled" ? sale.amountOut : null;
            if (sale.kind === "filled") pool = sale.after;
          }
          return amount === null
            ? { kind: "refused", reason: "refused" }
            : { kind: "paid", amount };
        }),
    },
  });
}

const groundOf = (market: Market) => ({
  ...{ market, accounts: new Map() },
  clock: { slot: 1n, unixTimestamp: 1n, epoch: 0n },
});

test("a pool in which no sale can be executed is not priced, and the others are executed", async () => {
  const ground = groundOf(marketOf([HONEST, OTHER, ODD]));
  const expected = await measuringWithout([]).run(groundOf(marketOf([HONEST, OTHER])), assess);
  const { measurement, findings, blocked } = await measuringWithout([ODD]).run(ground, assess);
  assert.equal(blocked, null);
  assert.deepEqual(measurement, expected.measurement);
  assert.ok(findings.some(({ kind }) => kind === "executed"));
});

test("pools in which no sale can be executed block the answer where they hold over half of the quote", async () => {
  const ground = groundOf(marketOf([HONEST, OTHER, ODD]));
  const { blocked } = await measuringWithout([HONEST]).run(ground, assess);
  assert.equal(blocked, "unpriced-majority");
});

test("where no pool can be executed, or the reason is not of a pool, the answer is refused", async () => {
  const ground = groundOf(marketOf([HONEST, ODD]));
  for (const measuring of [measuringWithout([HONEST, ODD]), measuringWithout([ODD], false)])
    await assert.rejects(measuring.run(ground, assess), { code: "overloaded" });
});
