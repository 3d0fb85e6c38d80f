import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { between, type Random } from "#src/platform/seeded-random.ts";
import { dayGridOf } from "#src/track/history/past-day.ts";
import type { Sample } from "#src/track/history/sample.ts";
import { changesOf, WAITED_SECONDS } from "#src/track/history/waiting.ts";
import { establishedFlow, tradeStep, walkFrom } from "../detection/flow.ts";
import { capacityOf, poolWith, priceOf, slippageOf } from "../detection/virtual-market.ts";

const STEP_MS = 10_000;
const STEPS_PER_DAY = 8_640;
const DAY_MS = STEP_MS * STEPS_PER_DAY;
const START_MS = 1_790_000_000_000;
const SIZE = STANDARD_SIZES.indexOf("5");

/** The changes of a token's exit on two days: by the time of their start, and ascending. */
export type Days = {
  readonly first: Float64Array;
  readonly second: Float64Array;
  readonly firstSorted: Float64Array;
  readonly secondSorted: Float64Array;
};

/** Steps of ten seconds. */
export function stepsOf(seconds: number): number {
  return (seconds * 1_000) / STEP_MS;
}

/** Plays a market for two days. The changes of both, by time waited. */
export function playMarket(random: Random): readonly Days[] {
  const market = poolWith(between(random, 8, 2_000));
  const walk = walkFrom(market, establishedFlow(random));
  const samples: Sample[] = [];
  for (let step = 0; step < 2 * STEPS_PER_DAY; step++) {
    tradeStep(market, walk, random);
    samples.push({
      atMs: START_MS + (step + 1) * STEP_MS,
      c10Sol: capacityOf(market),
      depthSol: market.real,
      slippagesPct: STANDARD_SIZES.map((size) => slippageOf(market, Number(size))),
      mid: priceOf(market),
      confidence: "high",
      basis: 1,
    });
  }
  const dayFrom = (fromMs: number) => dayGridOf(samples, { fromMs, toMs: fromMs + DAY_MS });
  const grids = [dayFrom(START_MS), dayFrom(START_MS + DAY_MS)] as const;
  return WAITED_SECONDS.map((seconds) => {
    const [first, second] = grids.map((grid) =>
      changesOf(grid, { size: SIZE, waited: stepsOf(seconds) }),
    );
    if (first === undefined || second === undefined) throw new Error("two days are played");
    return { first, second, firstSorted: first.toSorted(), secondSorted: second.toSorted() };
  });
}
