import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PoolPlan } from "#bench/adversary/pool-plan.ts";
import { alertedIn, Followed, isMidTaken, MARKETS, type Market } from "./dear-markets.ts";
import { honestPool } from "./plans.ts";

const HIDDEN = MARKETS.filter(isMidTaken);
const HIDDEN_NAMES = HIDDEN.map(({ name }) => name);

test("a bid of 1 to 3 % within the fees of a dear pool takes the mid in a third of the markets", () => {
  assert.equal(HIDDEN.length, 12);
});

describe("a withdrawal beneath a bid within the fees of a dear pool raises an alert", () => {
  for (const share of [0.6, 0.8, 1]) {
    test(`${100 * share} % at once, beside a bid that stays`, () => {
      const alerted = alertedIn(HIDDEN, ({ dear, sol, bid }) => {
        const left = dear(Math.max(1e-9, sol * (1 - share)));
        return new Followed()
          .show([dear(sol)], 600)
          .show([dear(sol), bid], 20)
          .show([left, bid], 20);
      });
      assert.deepEqual(alerted, HIDDEN_NAMES);
    });
  }

  test("60 % in the slot in which the bid comes, and in that in which it leaves", () => {
    const comes = alertedIn(HIDDEN, ({ dear, sol, bid }) =>
      new Followed().show([dear(sol)], 600).show([dear(0.4 * sol), bid], 20),
    );
    assert.deepEqual(comes, HIDDEN_NAMES);
    const leaves = alertedIn(HIDDEN, ({ dear, sol, bid }) =>
      new Followed()
        .show([dear(sol)], 600)
        .show([dear(sol), bid], 20)
        .show([dear(0.4 * sol)], 20),
    );
    assert.deepEqual(leaves, HIDDEN_NAMES);
  });

  for (const slicePct of [5, 7, 9.5]) {
    for (const seconds of [60, 300]) {
      test(`65 % in slices of ${slicePct} % every ${seconds} s`, () => {
        const alerted = alertedIn(HIDDEN, ({ dear, sol, bid }) => {
          const followed = new Followed().show([dear(sol)], 600).show([dear(sol), bid], 300);
          for (let held = sol; held > 0.35 * sol; ) {
            held *= 1 - slicePct / 100;
            followed.show([dear(held), bid], seconds);
          }
          return followed;
        });
        assert.deepEqual(alerted, HIDDEN_NAMES);
      });
    }
  }
});

test("the loss of the pool that held the near depth raises an alert, although the rest is hidden without it", () => {
  const others = [
    honestPool({ sol: 65.162, price: 0.001_001_96 }),
    honestPool({ venue: "raydium-cpmm", sol: 28.929, feePct: 3, price: 0.000_990_549 }),
    honestPool({
      ...{ venue: "meteora-damm-v2", sol: 94.432, feePct: 9, price: 0.000_955_12, range: 0.135_74 },
    }),
  ];
  const nearest = (sol: number) =>
    honestPool({ venue: "orca-whirlpool", sol, feePct: 9, price: 0.001_044_6, range: 0.106_195 });
  const [before, after] = [26.255, 2.6255].map((sol) => [...others, nearest(sol)]);
  const followed = new Followed().show(before ?? [], 600);
  assert.equal(followed.show(after ?? [], 20).alerts, 1);
});

describe("liquidity that comes and goes beneath such a bid raises no alert", () => {
  for (const steps of [3, 4, 5]) {
    test(`added in ${steps} steps of 5 %, removed at once`, () => {
      const alerted = alertedIn(MARKETS, ({ dear, sol, bid }) => {
        const followed = new Followed().show([dear(sol)], 600).show([dear(sol), bid], 300);
        for (let step = 1; step <= steps; step++) {
          followed.show([dear(sol * 1.05 ** step), bid], 90);
        }
        return followed.show([dear(sol), bid], 600).show([dear(sol)], 600);
      });
      assert.deepEqual(alerted, []);
    });
  }

  /** What an attacker with 3 % does in one round; `round` makes each pool another one. */
  const rounds: Readonly<Record<string, (market: Market, round: number) => PoolPlan[][]>> = {
    "3 % in the pool itself": ({ dear, sol, bid }) => [
      [dear(1.03 * sol), bid],
      [dear(sol), bid],
    ],
    "3 % added beneath the bid, removed without it": ({ dear, sol, bid }) => [
      [dear(1.03 * sol), bid],
      [dear(1.03 * sol)],
      [dear(sol)],
      [dear(sol), bid],
    ],
    "3 % removed as the bid rises, added later": ({ dear, sol, bid }) => [
      [dear(1.03 * sol), { ...bid, price: 0.96 * bid.price }],
      [dear(sol), bid],
      [dear(sol), { ...bid, price: 0.96 * bid.price }],
    ],
    "a new pool of 3 % each time": ({ dear, sol, bid }, round) => {
      const price = 0.001 * (1 + round / 1e4);
      return [
        [dear(sol), bid, dear(0.03 * sol, { price })],
        [dear(sol), bid, dear(1e-9, { price })],
      ];
    },
    "3 % moved from one pool to another in one slot": ({ dear, sol, bid }) => {
      const pair = (first: number, second: number) => [
        dear(sol),
        bid,
        dear(first, { price: 0.001_001 }),
        dear(second, { price: 0.001_002 }),
      ];
      return [pair(0.03 * sol, 1e-9), pair(1e-9, 0.03 * sol)];
    },
    "a fee of a pool of 3 % to and fro": ({ dear, sol, bid }) =>
      [9.5, 3].map((feePct) => [dear(sol), bid, dear(0.03 * sol, { feePct, price: 0.001_001 })]),
    "most of the bid itself": ({ dear, sol, bid }) => [
      [dear(sol), bid],
      [dear(sol), { ...bid, sol: bid.sol / 4 }],
    ],
  };
  for (const [name, roundOf] of Object.entries(rounds)) {
    for (const seconds of [5, 70]) {
      test(`25 times, each state for ${seconds} s: ${name}`, () => {
        const alerted = alertedIn(HIDDEN, (market) => {
          const followed = new Followed().show([market.dear(market.sol)], 600);
          for (let round = 0; round < 25; round++) {
            for (const pools of roundOf(market, round)) followed.show(pools, seconds);
          }
          return followed.show([market.dear(market.sol)], 600);
        });
        assert.deepEqual(alerted, []);
      });
    }
  }
});
