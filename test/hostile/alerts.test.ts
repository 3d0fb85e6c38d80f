import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { measureHonest } from "#bench/adversary/effects.ts";
import { marketOfPlan, PLAN_TIME_MS } from "#bench/adversary/measure-plan.ts";
import type { PoolPlan } from "#bench/adversary/pool-plan.ts";
import { hidesAlert, raisesFalseAlert } from "#bench/adversary/timeline.ts";
import { namedAddress } from "#bench/detection/plain-pool-venue.ts";
import { assess } from "#src/measure/assess.ts";
import type { UnpricedPool } from "#src/measure/market/market.ts";
import { historySeconds, newSeries, observe, type TokenSeries } from "#src/track/history/series.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { bidPool, honestPool, planOf } from "./plans.ts";

type Scene = { readonly pools: readonly PoolPlan[]; readonly unpricedSol?: number };

/** A token followed over markets that change; alerts by the second at which they turned on. */
class Followed {
  readonly alerts: { readonly atSeconds: number; readonly cause: string | null }[] = [];
  readonly series: TokenSeries = newSeries(1);
  #seconds = 0;

  /** Shows this market once now, and again every ten seconds until so many have passed. */
  show({ pools, unpricedSol = 0 }: Scene, seconds: number): void {
    const market = marketOfPlan(planOf(pools));
    const unpriced = unpricedSol === 0 ? [] : [unpricedPool(unpricedSol)];
    const assessment = assess({ ...market, unpriced });
    for (const untilSeconds = this.#seconds + seconds; this.#seconds < untilSeconds; ) {
      const nowMs = PLAN_TIME_MS + 1_000 * this.#seconds;
      const { change } = observe(this.series, {
        assessment: { ...assessment, stateTimeMs: nowMs },
        nowMs,
        chainMs: nowMs,
        isClosed: () => false,
      });
      if (change?.kind === "on") {
        const cause = change.deterioration.cause?.kind ?? null;
        this.alerts.push({ atSeconds: this.#seconds, cause });
      }
      this.#seconds += Math.min(10, untilSeconds - this.#seconds);
    }
  }
}

function unpricedPool(sol: number): UnpricedPool {
  return {
    venue: "raydium-amm-v4",
    family: "raydium",
    kind: "amm",
    address: namedAddress("decoy"),
    reason: "undecodable",
    detail: "pool",
    quoteHeld: BigInt(Math.round(sol * 1e9)),
    quoteMint: WSOL,
  };
}

test("case 3: a drain from 100 to 1 SOL alerts while an unpriced pool holds 1.2 SOL", () => {
  const followed = new Followed();
  followed.show({ pools: [honestPool({ sol: 100 })] }, 600);
  followed.show({ pools: [honestPool({ sol: 100 })], unpricedSol: 1.2 }, 30);
  const drained = { pools: [honestPool({ sol: 1 })], unpricedSol: 1.2 };
  assert.equal(
    assess({ ...marketOfPlan(planOf(drained.pools)), unpriced: [unpricedPool(1.2)] }).blocked,
    "unpriced-majority",
  );
  followed.show(drained, 60);
  assert.deepEqual(followed.alerts, [{ atSeconds: 630, cause: "withdrawn" }]);
});

describe("case 4: pools that exist for moments raise no alert", () => {
  const honest = honestPool({ sol: 100 });
  for (const [name, bid] of [
    ["a bid of 3 SOL just below the market", bidPool({ sol: 3, price: 0.000_999, range: 0.002 })],
    ["a bid of 0.06 SOL at 1.1 times the market", bidPool({ sol: 0.06, price: 0.0011 })],
    ["a fee pool of 0.12 SOL", bidPool({ price: 0.002, feePct: 50 })],
  ] as const) {
    test(`${name}, for one second`, () => {
      const followed = new Followed();
      followed.show({ pools: [honest] }, 600);
      followed.show({ pools: [honest, bid] }, 1);
      followed.show({ pools: [honest, { ...bid, sol: 1e-9 }] }, 120);
      followed.show({ pools: [honest] }, 600);
      assert.deepEqual(followed.alerts, []);
    });
  }
});

describe("case 9: a stealth drain alerts before two thirds are gone", () => {
  for (const [share, minutes] of [
    [0.19, 22],
    [0.1, 10.6],
  ] as const) {
    test(`${100 * share} % every ${minutes} minutes`, () => {
      const followed = new Followed();
      let sol = 100;
      followed.show({ pools: [honestPool({ sol })] }, 600);
      while (sol > 34 && followed.alerts.length === 0) {
        sol *= 1 - share;
        followed.show({ pools: [honestPool({ sol })] }, 60 * minutes);
      }
      assert.equal(followed.alerts[0]?.cause, "withdrawn", `${sol} SOL left`);
    });
  }
});

describe("case 12: new pools every 4.5 minutes hide no trend", () => {
  for (const [name, decoy] of [
    ["0.3 SOL at a thousandth of the market", bidPool({ sol: 0.3, price: 0.000_001 })],
    ["5 % of the near depth, at the market", bidPool({ sol: 0.26, price: 0.001, range: 0.05 })],
  ] as const) {
    test(`${name}: the trend is seen, and history is not short`, () => {
      const followed = new Followed();
      for (let half = 0; half < 108; half++) {
        const sol = 100 * 0.991 ** (half / 2);
        // Each new pool has the money of the last one, which stays behind empty.
        const opened = Math.floor(half / 9);
        const empty = Array.from({ length: opened }, () => ({ ...decoy, sol: 1e-9 }));
        followed.show({ pools: [honestPool({ sol }), ...empty, decoy] }, 30);
      }
      assert.equal(followed.series.trend, "deteriorating");
      assert.ok(historySeconds(followed.series) > 300);
    });
  }
});

/** Withdraws 70 % in six equal parts, one a minute. */
const SLICES = { share: 0.7, parts: 6, everySteps: 6 };

describe("a bid of 5 % of the near depth that comes and goes", () => {
  const honest = measureHonest(planOf([honestPool({ sol: 540 })]));
  const bid = bidPool({ sol: 1.385, price: 0.0019, feePct: 2.7, range: 0.04 });

  for (const [onSteps, offSteps] of [
    [1, 1],
    [1, 2],
    [2, 4],
  ] as const) {
    const attack = {
      strategy: "bid above",
      pools: [bid],
      timing: { fromStep: 15, onSteps, offSteps },
    };

    test(`${onSteps} steps in, ${offSteps} out: hides no drain whose parts it comes with`, () => {
      assert.ok(honest !== null);
      assert.equal(hidesAlert(honest, attack, SLICES), false);
    });

    test(`${onSteps} steps in, ${offSteps} out: raises no alert`, () => {
      assert.ok(honest !== null);
      assert.equal(raisesFalseAlert(honest, attack), false);
    });
  }
});
