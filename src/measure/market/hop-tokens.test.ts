import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PoolStatus } from "#src/venues/venue.ts";
import { marketOf, PLAIN_TOKEN, poolOfSol, SOL, SOMEBODY } from "#test/support/markets/markets.ts";
import { emptyPool, poolAddress } from "#test/support/pools/pools.ts";
import { assess } from "../assess.ts";
import type { Assessment } from "../assessment.ts";
import { confidenceOf } from "../confidence/findings.ts";
import { awaitsHop } from "../series/capacity-series.ts";
import type { Market, TokenFacts } from "./market.ts";

/** Another token, which the token's pool pays. */
const OTHER = poolAddress(700);

function kindsOf({ findings }: Assessment): readonly string[] {
  return findings.map(({ kind }) => kind);
}

/** A market that sells through another token, of which that is known. */
function throughOther(facts: Partial<TokenFacts>, changes: Partial<Market> = {}): Market {
  return marketOf([poolOfSol(100, 0.001, { quoteMint: OTHER })], {
    hopPools: [poolOfSol(500, 1, { number: 2, baseMint: OTHER })],
    hopTokens: new Map([[OTHER, { ...PLAIN_TOKEN, ...facts }]]),
    ...changes,
  });
}

describe("a token that sales go through counts as the token itself", () => {
  test("a plain one leaves confidence high", () => {
    assert.deepEqual(assess(throughOther({})).findings, []);
  });

  const rows: readonly (readonly [Partial<TokenFacts>, string, string])[] = [
    [{ freezeAuthority: SOMEBODY }, "freeze-authority", "medium"],
    [{ transferHookAuthority: SOMEBODY }, "transfer-hook-authority", "medium"],
    [{ permanentDelegate: SOMEBODY }, "permanent-delegate", "low"],
    [{ transferHook: SOMEBODY }, "transfer-hook", "low"],
    [{ pausable: { isPaused: false, authority: SOMEBODY } }, "pausable", "low"],
  ];
  for (const [facts, kind, confidence] of rows) {
    test(`${kind}: ${confidence}, and the finding names it`, () => {
      const assessment = assess(throughOther(facts));
      assert.deepEqual(assessment.findings, [{ kind, through: OTHER }]);
      assert.equal(confidenceOf(assessment), confidence);
    });
  }

  test("accounts that start frozen: low with an authority to thaw them, else no way out through it", () => {
    const thawed = assess(throughOther({ startsFrozen: true, freezeAuthority: SOMEBODY }));
    assert.equal(thawed.blocked, null);
    assert.equal(confidenceOf(thawed), "low");
    for (const facts of [{ startsFrozen: true }, { isNonTransferable: true }]) {
      const { blocked, findings } = assess(throughOther(facts));
      assert.equal(blocked, "unpriced-majority");
      assert.deepEqual(
        findings.flatMap((it) => (it.kind === "unpriced-pools" ? it.quoteMints : [])),
        [OTHER],
      );
    }
  });

  test("a third party's small pool that pays in it lowers nothing", () => {
    const market = throughOther(
      { permanentDelegate: SOMEBODY },
      {
        pools: [poolOfSol(100), poolOfSol(4, 0.001, { number: 3, quoteMint: OTHER })],
      },
    );
    assert.deepEqual(assess(market).findings, []);
  });
});

describe("a hop that is paused pauses the sale, however many pools the hop has", () => {
  const hop = (number: number, status: PoolStatus) =>
    poolOfSol(500, 1, { number, baseMint: OTHER, status });
  for (const hopPools of [
    [hop(2, "paused")],
    [hop(2, "paused"), hop(3, "paused")],
    [hop(2, "not-open-yet"), hop(3, "paused")],
  ]) {
    test(hopPools.map(({ status }) => status).join(" and "), () => {
      const { blocked, pricedWhileBlocked } = assess(throughOther({}, { hopPools }));
      assert.equal(blocked, "all-paused");
      assert.equal(pricedWhileBlocked?.c10Sol, 0);
    });
  }

  for (const status of ["paused", "not-open-yet", "migrated"] as const) {
    const drained = emptyPool({ number: 5, baseMint: OTHER });
    for (const hopPools of [
      [drained, hop(2, status)],
      [hop(2, status), drained],
    ]) {
      test(`but not where an empty one is open: ${hopPools.map((pool) => pool.status)}`, () => {
        const before = assess(throughOther({}, { hopPools: [hop(5, "open")] }));
        const after = assess(throughOther({}, { hopPools }));
        assert.equal(after.blocked, null);
        assert.equal(after.measurement?.c10Sol, 0);
        // No gap for the alert: what the hop held is gone.
        assert.ok(before.measurement !== null && after.measurement !== null);
        assert.equal(awaitsHop(before.measurement, after.measurement), false);
      });
    }
  }

  test("one that is open among them keeps the answer", () => {
    const hopPools = [hop(2, "paused"), hop(3, "open")];
    const { blocked, measurement } = assess(throughOther({}, { hopPools }));
    assert.equal(blocked, null);
    assert.ok((measurement?.depthLamports ?? 0n) > 90n * SOL);
  });

  test("so does another pool of the token", () => {
    const pools = [
      poolOfSol(100, 0.001, { quoteMint: OTHER }),
      poolOfSol(10, 0.001, { number: 4 }),
    ];
    const assessed = assess(throughOther({}, { pools, hopPools: [hop(2, "paused")] }));
    assert.equal(assessed.blocked, null);
    assert.deepEqual(kindsOf(assessed), []);
  });
});
