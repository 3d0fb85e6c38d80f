import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { meteoraDbc } from "#src/venues/meteora-dbc/adapter.ts";
import { pumpCurve } from "#src/venues/pump-curve/adapter.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import { raydiumLaunchLab } from "#src/venues/raydium-launchlab/adapter.ts";
import type { Venue } from "#src/venues/venue.ts";
import { marketOf, poolOfSol, SOL } from "#test/support/markets/markets.ts";
import { BASE_MINT, CLOCK, CONFIG, dbcAccounts, POOL } from "#test/support/pools/dbc-pool.ts";
import { decodedState } from "#test/support/pools/decoded-state.ts";
import { COIN, curveFixture, launchFixture } from "#test/support/pools/pump-pools.ts";
import type { PoolFixture } from "#test/support/pools/raydium-pools.ts";
import { assess } from "../assess.ts";

const RAISED = 85n * SOL;

/** A launchpad's curve, bound to the sale of one of its mints. */
function bound(
  venue: Venue<unknown>,
  {
    pool,
    accounts,
  }: Pick<PoolFixture, "pool"> & { readonly accounts: Parameters<Venue<unknown>["decode"]>[1] },
  { coin, baseMint, quoteMint }: { readonly [name in "coin" | "baseMint" | "quoteMint"]: Address },
): QuotablePool {
  const state = decodedState(venue, pool, accounts, coin);
  return bindPool({ venue, address: pool, state, baseMint, quoteMint, clock: CLOCK, fast: null });
}

/** A full curve of each launchpad, which pays in SOL. */
function fullCurves(): readonly QuotablePool[] {
  const coin = { coin: COIN, baseMint: COIN, quoteMint: WSOL };
  const pump = curveFixture({ isComplete: true, realToken: 0n, realQuote: RAISED });
  const launch = launchFixture({ status: 1, realBase: 793_100_000_000_000n, realQuote: RAISED });
  const dbc = dbcAccounts({ config: { quoteMint: WSOL }, state: { quoteReserve: RAISED } });
  return [
    bound(pumpCurve, pump, coin),
    bound(raydiumLaunchLab, launch, coin),
    bound(
      meteoraDbc,
      { pool: POOL, accounts: dbc },
      { ...coin, coin: BASE_MINT, baseMint: BASE_MINT },
    ),
  ];
}

describe("the phase", () => {
  const curve = (status: "open" | "complete" | "migrated") =>
    poolOfSol(85, 0.001, { kind: "curve", number: 5, status, family: "pump", venue: "pump-curve" });
  const pool = poolOfSol(85, 0.001, { number: 6, family: "pump", venue: "pumpswap" });
  const dust = poolOfSol(1, 0.001, { number: 7, family: "pump", venue: "pumpswap" });

  test("on-curve while the curve sells, whatever pools third parties opened", () => {
    assert.equal(assess(marketOf([curve("open"), dust])).phase, "on-curve");
  });

  test("migrating, and blocked, while the full curve still holds what it raised", () => {
    for (const pools of [[curve("complete")], [curve("complete"), dust]]) {
      const { phase, blocked } = assess(marketOf(pools));
      assert.deepEqual([phase, blocked], ["migrating", "migrating"]);
    }
  });

  test("migrating while others' pools hold less than the full curve of any launchpad raised", () => {
    for (const full of fullCurves()) {
      const { baseMint: mint, status } = full;
      assert.equal(status, "complete");
      const sols = [84, 86].map((sol) => poolOfSol(sol, 0.001, { number: 7, baseMint: mint }));
      const phases = sols.map((pool) => assess(marketOf([full, pool], { mint })).phase);
      assert.deepEqual(phases, ["migrating", "migrated"], full.venue);
    }
  });

  test("a full curve decides the family, although nothing can be sold to it", () => {
    const [full] = fullCurves();
    const stranger = {
      ...({ venue: "orca-whirlpool", family: "other", kind: "amm", address: CONFIG } as const),
      ...({ reason: "undecodable", detail: "", quoteHeld: 1n, quoteMint: WSOL } as const),
    };
    assert.ok(full !== undefined);
    const { family } = assess(marketOf([full], { mint: COIN, unpriced: [stranger] }));
    assert.equal(family, "pump");
  });

  test("migrating while it is not known what the full curve's quote is worth", () => {
    const full = poolOfSol(85, 0.001, { kind: "curve", status: "complete", quoteMint: COIN });
    assert.equal(assess(marketOf([full, pool])).phase, "migrating");
  });

  test("a curve is none to the token that it pays in", () => {
    for (const status of [0, 1]) {
      const launch = launchFixture({ status, baseMint: BASE_MINT, quoteMint: COIN });
      const mints = { coin: COIN, baseMint: COIN, quoteMint: BASE_MINT };
      const other = bound(raydiumLaunchLab, launch, mints);
      const own = poolOfSol(85, 0.001, { baseMint: COIN });
      assert.equal(assess(marketOf([own, other], { mint: COIN })).phase, "listed");
    }
  });

  test("migrating too while the graduated pool is not open yet", () => {
    const waiting = poolOfSol(85, 0.001, { status: "not-open-yet" });
    assert.equal(assess(marketOf([curve("migrated"), waiting])).blocked, "migrating");
  });

  test("migrated once its pool trades", () => {
    const assessment = assess(marketOf([curve("migrated"), pool]));
    assert.equal(assessment.phase, "migrated");
    assert.equal(assessment.measurement?.depthLamports, 85n * SOL);
  });

  test("listed where there never was a curve", () => {
    assert.equal(assess(marketOf([pool])).phase, "listed");
  });
});
