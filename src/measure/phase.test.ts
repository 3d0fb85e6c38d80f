import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { marketOf, poolOfSol, SOL } from "#test/support/markets.ts";
import { assess } from "./assess.ts";

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
