import { addLosses, type Losses, NO_LOSSES } from "#src/measure/series/losses.ts";
import type { Random } from "#src/platform/seeded-random.ts";
import { type Flow, tradeStep, type Walk, walkFrom } from "./flow.ts";
import type { HostileView, Strangers } from "./hostile-market.ts";
import { capacityOf, priceOf, slippageOf, type VirtualMarket, withdraw } from "./virtual-market.ts";

/** One moment of a market: what is true, and what a feed shows of it. */
export type Reading = {
  readonly timeMs: number;
  readonly trueC10Sol: number;
  /** Percent, of 5 SOL; what a holder would lose. */
  readonly exitSlippagePct: number;
  /** Null where the feed shows nothing. */
  readonly seen: Seen | null;
  readonly basis: number;
  /** For who plays it over a chain: the market itself, and what the feed does. */
  readonly market: Readonly<VirtualMarket>;
  readonly feed: Feed;
};

/**
 * `blind`: nothing arrives. `empty`: reads come back without the vaults, which is not an answer either.
 * `frozen`: the same again and again.
 */
export type Feed = "live" | "blind" | "empty" | "frozen";

export type Seen = {
  readonly c10Sol: number;
  readonly depthSol: number;
  readonly price: number;
  readonly losses: Losses;
};

/** Where a script plays: a market, its traders, a clock, and a feed that may fail. */
export type Stage = {
  readonly random: Random;
  readonly read: (reading: Reading) => void;
  market: VirtualMarket;
  walk: Walk;
  timeMs: number;
  basis: number;
  feed: Feed;
  shown: Seen | null;
  /** Set if other users' pools exist beside the market: readings are then measured by assess(). */
  hostile: { readonly view: HostileView; readonly strangers: Strangers } | null;
};

const STEP_MS = 10_000;
export const SLOT_MS = 400;
const START_MS = 1_790_000_000_000;
const EXIT_SOL = 5;

export function openStage(
  random: Random,
  market: VirtualMarket,
  flow: Flow,
  read: (reading: Reading) => void,
): Stage {
  return {
    random,
    read,
    market,
    walk: walkFrom(market, flow),
    timeMs: START_MS,
    basis: 1,
    feed: "live",
    shown: null,
    hostile: null,
  };
}

/** Lets the market trade, a reading every ten seconds. */
export function playFor(stage: Stage, seconds: number): void {
  for (let left = Math.round((seconds * 1_000) / STEP_MS); left > 0; left--) {
    stage.timeMs += STEP_MS;
    show(stage, tradeStep(stage.market, stage.walk, stage.random));
  }
}

/** Something happens in this slot; the feed shows it in the next one. */
export function happen(stage: Stage, losses: Losses): void {
  stage.timeMs += SLOT_MS;
  show(stage, losses);
}

/** Traders leave in the market what is there now: what happened is not traded back. */
export function settle(stage: Stage): void {
  stage.walk.logValue = Math.log(stage.market.real);
}

/** Liquidity goes (`share` below zero: comes); traders keep the less, or the more, in the market. */
export function moveLiquidity(stage: Stage, share: number): Losses {
  stage.walk.logValue += Math.log1p(-share);
  return withdraw(stage.market, share);
}

/** From here on readings are of another series: a migration, another source. */
export function changeBasis(stage: Stage): void {
  stage.basis++;
}

export function show(stage: Stage, losses: Losses): void {
  const { market, feed, hostile } = stage;
  if (hostile !== null) stage.shown = hostile.view.seen(market, hostile.strangers);
  else if (feed === "live") {
    stage.shown = {
      c10Sol: capacityOf(market),
      depthSol: market.isPaused ? 0 : market.real,
      price: priceOf(market),
      losses: stage.shown === null ? NO_LOSSES : addLosses(NO_LOSSES, losses),
    };
  }
  stage.read({
    timeMs: stage.timeMs,
    trueC10Sol: capacityOf(market),
    exitSlippagePct: slippageOf(market, EXIT_SOL),
    seen: feed === "blind" || feed === "empty" ? null : stage.shown,
    basis: stage.basis,
    market,
    feed,
  });
}
