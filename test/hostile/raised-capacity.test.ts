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

/** A round of what an attacker with 3 % does on a market that loses nothing; `gone` is what is left of the bid. */
type Round = (market: Market, gone: readonly PoolPlan[]) => readonly (readonly PoolPlan[])[];

const ROUNDS: Readonly<Record<string, Round>> = {
  "the bid alone": ({ dear, sol, bid }, gone) => [
    [dear(sol), bid],
    [dear(sol), ...gone],
  ],
  "3 % of the pool removed as the bid comes": ({ dear, sol, bid }, gone) => [
    [dear(1.03 * sol), ...gone],
    [dear(sol), bid],
  ],
  "3 % of the pool added as the bid comes": ({ dear, sol, bid }, gone) => [
    [dear(sol), ...gone],
    [dear(1.03 * sol), bid],
  ],
  "3 % of the pool added beneath the bid, removed without it": ({ dear, sol, bid }, gone) => [
    [dear(1.03 * sol), bid],
    [dear(1.03 * sol), ...gone],
    [dear(sol), ...gone],
    [dear(sol), bid],
  ],
  "3 % of the pool added without the bid, removed beneath it": ({ dear, sol, bid }, gone) => [
    [dear(1.03 * sol), ...gone],
    [dear(1.03 * sol), bid],
    [dear(sol), bid],
    [dear(sol), ...gone],
  ],
};

const followed = () => new Followed({ isClosed: true });

for (const [way, gone] of Object.entries(LEAVES)) {
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

  describe(`bids that come and are ${way} raise no alert where nothing is withdrawn`, () => {
    for (const [name, roundOf] of Object.entries(ROUNDS)) {
      for (const seconds of [5, 70]) {
        test(`25 times, each state for ${seconds} s: ${name}`, () => {
          const alerted = alertedIn(MARKETS, (market) => {
            const played = followed().show([market.dear(market.sol)], 600);
            for (let round = 0; round < 25; round++) {
              for (const pools of roundOf(market, gone(market))) played.show(pools, seconds);
            }
            return played.show([market.dear(market.sol), ...gone(market)], 600);
          });
          assert.deepEqual(alerted, []);
        });
      }
    }
  });
}
