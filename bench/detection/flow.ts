import type { Losses } from "#src/measure/series/losses.ts";
import { addLosses } from "#src/measure/series/losses.ts";
import { between, type Random } from "#src/platform/seeded-random.ts";
import { trade, type VirtualMarket } from "./virtual-market.ts";

/** Random flow of a market: a value that varies, and traders who follow it with errors. */
export type Flow = {
  /**
   * Standard deviation over a day of the logarithm of what traders keep in the market, in SOL. At
   * constant product the price moves twice as far.
   */
  readonly dailyVolatility: number;
  /** Drift of that logarithm over an hour. */
  readonly hourlyDrift: number;
  /** Trades in ten seconds, on average, and their median size as a share of the SOL that are there. */
  readonly tradesPerStep: number;
  readonly medianShare: number;
  /** Sales of 5 to 20 % of these SOL at once, a day. */
  readonly whalesPerDay: number;
};

/** `logValue`: of the SOL that traders would leave in the market. */
export type Walk = { readonly flow: Flow; logValue: number };

const STEPS_PER_DAY = 8_640;
/** What of the distance to the value is traded away in ten seconds. */
const PULL = 0.15;

/** A flow as established pools show it, calm to wild. */
export function establishedFlow(random: Random): Flow {
  return {
    dailyVolatility: between(random, 0.1, 1.5),
    hourlyDrift: 0,
    tradesPerStep: between(random, 0.05, 4),
    medianShare: between(random, 0.000_5, 0.004),
    whalesPerDay: between(random, 0.1, 2),
  };
}

/** A launch that people want: wild, many trades, and full within one to eight hours. */
export function launchFlow(random: Random, raisedSol: number, fullSol: number): Flow {
  return {
    dailyVolatility: between(random, 0.7, 2.5),
    hourlyDrift: Math.log((1.1 * fullSol) / raisedSol) / between(random, 1, 8),
    tradesPerStep: between(random, 1, 8),
    medianShare: between(random, 0.001, 0.005),
    whalesPerDay: between(random, 1, 4),
  };
}

export function walkFrom(market: VirtualMarket, flow: Flow): Walk {
  return { flow, logValue: Math.log(market.real) };
}

/** Ten seconds of trading. */
export function tradeStep(market: VirtualMarket, walk: Walk, random: Random): Losses {
  const { flow } = walk;
  walk.logValue +=
    flow.hourlyDrift / 360 + (flow.dailyVolatility / Math.sqrt(STEPS_PER_DAY)) * gaussian(random);
  let sold = 0;
  for (let trades = poisson(random, flow.tradesPerStep); trades > 0; trades--) {
    const share = Math.min(0.05, flow.medianShare * Math.exp(gaussian(random)));
    sold += random() < 0.5 ? share : -share;
  }
  sold += PULL * (Math.log(market.real) - walk.logValue);
  const losses = trade(market, sold * market.real);
  if (random() >= flow.whalesPerDay / STEPS_PER_DAY) return losses;
  return addLosses(losses, trade(market, between(random, 0.05, 0.2) * market.real));
}

/** Standard normal, by Box and Muller. */
export function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function poisson(random: Random, mean: number): number {
  let left = Math.exp(-mean);
  let count = 0;
  let draw = random();
  while (draw > left && count < 100) {
    draw -= left;
    count++;
    left *= mean / count;
  }
  return count;
}
