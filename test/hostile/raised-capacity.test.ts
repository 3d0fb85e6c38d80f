import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PoolPlan } from "#bench/adversary/pool-plan.ts";
import { alertedIn, Followed, isMidTaken, MARKETS, type Market } from "./dear-markets.ts";

/** A bid leaves by an emptied pool, or by one that is closed. */
const LEAVES = {
  emptied: ({ bid }: Market): readonly PoolPlan[] => [{ ...bid, sol: 1e-9 }],
  closed: (): readonly PoolPlan[] => [],
} as const;

/** Those in which the bid leaves the mid: C10 rises, up to twice as high. */
const RAISED = MARKETS.filter((market) => !isMidTaken(market));
const RAISED_NAMES = RAISED.map(({ name }) => name);

/** One slice of a withdrawal: `before` and `after` are the dear pool around it. */
type Slice = { readonly before: PoolPlan; readonly after: PoolPlan; readonly bid: PoolPlan };

/** What is shown around a slice, each with its seconds. */
const SLICES: Readonly<
  Record<string, (slice: Slice) => readonly (readonly [readonly PoolPlan[], number])[]>
> = {
  "in the slot in which the bid comes": ({ after, bid }) => [[[after, bid], 10]],
  "ten seconds after it came": ({ before, after, bid }) => [
    [[before, bid], 10],
    [[after, bid], 10],
  ],
  "after the bid has lasted a minute": ({ before, after, bid }) => [
    [[before, bid], 70],
    [[after, bid], 70],
  ],
};

for (const [way, gone] of Object.entries(LEAVES)) {
  const followed = () => new Followed({ isClosed: true });

  describe(`withdrawals beside bids that raise C10 and are ${way} raise an alert`, () => {
    for (const seconds of [20, 1_800]) {
      test(`60 % at once, and the bid leaves ${seconds} s later`, () => {
        const alerted = alertedIn(RAISED, (market) => {
          const { dear, sol, bid } = market;
          return followed()
            .show([dear(sol)], 600)
            .show([dear(sol), bid], 20)
            .show([dear(0.4 * sol), bid], seconds)
            .show([dear(0.4 * sol), ...gone(market)], 600);
        });
        assert.deepEqual(alerted, RAISED_NAMES);
      });
    }

    for (const [when, shown] of Object.entries(SLICES)) {
      for (const [slicePct, seconds] of [
        [5, 60],
        [5, 300],
        [9.5, 900],
      ] as const) {
        test(`65 % in slices of ${slicePct} % every ${seconds} s, each ${when}`, () => {
          const alerted = alertedIn(RAISED, (market) => {
            const { dear, sol, bid } = market;
            const played = followed().show([dear(sol)], 600);
            for (let held = sol; held > 0.35 * sol; ) {
              const before = dear(held);
              held *= 1 - slicePct / 100;
              for (const [pools, shownSeconds] of shown({ before, after: dear(held), bid }))
                played.show(pools, shownSeconds);
              played.show([dear(held), ...gone(market)], seconds);
            }
            return played.show([dear(0.35 * sol), ...gone(market)], 600);
          });
          assert.deepEqual(alerted, RAISED_NAMES);
        });
      }
    }
  });

  /** What an attacker with 3 % does in one round, on a market that loses nothing. */
  const rounds: Readonly<Record<string, (market: Market) => readonly (readonly PoolPlan[])[]>> = {
    "the bid alone": (market) => [
      [market.dear(market.sol), market.bid],
      [market.dear(market.sol), ...gone(market)],
    ],
    "3 % of the pool removed as the bid comes": (market) => [
      [market.dear(1.03 * market.sol), ...gone(market)],
      [market.dear(market.sol), market.bid],
    ],
    "3 % of the pool added as the bid comes": (market) => [
      [market.dear(market.sol), ...gone(market)],
      [market.dear(1.03 * market.sol), market.bid],
    ],
    "3 % of the pool added beneath the bid, removed without it": (market) => [
      [market.dear(1.03 * market.sol), market.bid],
      [market.dear(1.03 * market.sol), ...gone(market)],
      [market.dear(market.sol), ...gone(market)],
      [market.dear(market.sol), market.bid],
    ],
    "3 % of the pool added without the bid, removed beneath it": (market) => [
      [market.dear(1.03 * market.sol), ...gone(market)],
      [market.dear(1.03 * market.sol), market.bid],
      [market.dear(market.sol), market.bid],
      [market.dear(market.sol), ...gone(market)],
    ],
  };

  describe(`bids that come and are ${way} raise no alert where nothing is withdrawn`, () => {
    for (const [name, roundOf] of Object.entries(rounds)) {
      for (const seconds of [5, 70]) {
        test(`25 times, each state for ${seconds} s: ${name}`, () => {
          const alerted = alertedIn(MARKETS, (market) => {
            const played = followed().show([market.dear(market.sol)], 600);
            for (let round = 0; round < 25; round++) {
              for (const pools of roundOf(market)) played.show(pools, seconds);
            }
            return played.show([market.dear(market.sol), ...gone(market)], 600);
          });
          assert.deepEqual(alerted, []);
        });
      }
    }
  });
}
