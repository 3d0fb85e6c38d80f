import { type Losses, NO_LOSSES } from "#src/measure/series/losses.ts";

/**
 * A constant-product market in closed form: what `assess()` says of such a pool, a thousand times
 * faster (virtual-market.test.ts holds the two together). A curve is one too, with virtual reserves
 * of which only a part is really there.
 */
export type VirtualMarket = {
  /** SOL, virtual ones included. */
  quote: number;
  /** Base units in millions; only the price's scale depends on it. */
  base: number;
  /** SOL that are really there. */
  real: number;
  feePpm: number;
  isPaused: boolean;
};

const CAPACITY_LOSS = 0.1;
const LARGEST_SOL = 1_000;

/** SOL a unit. */
export function priceOf({ quote, base }: VirtualMarket): number {
  return quote / base;
}

/** Exit capacity C10, SOL. */
export function capacityOf(market: VirtualMarket): number {
  if (market.isPaused) return 0;
  const kept = 1 - market.feePpm / 1e6;
  if (kept <= 1 - CAPACITY_LOSS) return 0;
  const bySlippage = market.quote * (1 / (1 - CAPACITY_LOSS) - 1 / kept);
  return Math.min(bySlippage, sizeThatPays(market, market.real), LARGEST_SOL);
}

/** Percent that a position worth `sizeSol` loses; 100 where it can't be sold whole. */
export function slippageOf(market: VirtualMarket, sizeSol: number): number {
  if (market.isPaused) return 100;
  const kept = 1 - market.feePpm / 1e6;
  const paid = (market.quote * kept * sizeSol) / (market.quote + kept * sizeSol);
  return paid > market.real ? 100 : 100 * (1 - paid / sizeSol);
}

/** The size whose sale would take `paid` SOL out. */
function sizeThatPays({ quote, feePpm }: VirtualMarket, paid: number): number {
  if (paid >= quote) return Number.POSITIVE_INFINITY;
  return (paid * quote) / ((1 - feePpm / 1e6) * (quote - paid));
}

/** Sells (`sol` below zero: buys) so much that the quote moves by `sol`, as far as there is any. */
export function trade(market: VirtualMarket, sol: number): Losses {
  const before = logOf(market);
  const out = Math.min(sol, 0.999 * market.real);
  const product = market.quote * market.base;
  market.quote -= out;
  market.real -= out;
  market.base = product / market.quote;
  return { ...NO_LOSSES, sold: before - logOf(market) };
}

/** Takes that share of the liquidity out; below zero: puts it in. */
export function withdraw(market: VirtualMarket, share: number): Losses {
  const before = logOf(market);
  market.quote *= 1 - share;
  market.real *= 1 - share;
  market.base *= 1 - share;
  return { ...NO_LOSSES, withdrawn: before - logOf(market) };
}

export function setFee(market: VirtualMarket, feePpm: number): Losses {
  const before = logOf(market);
  market.feePpm = feePpm;
  return { ...NO_LOSSES, fees: Math.max(0, before - logOf(market)) };
}

export function pause(market: VirtualMarket): Losses {
  const before = logOf(market);
  market.isPaused = true;
  return { ...NO_LOSSES, paused: Math.max(0, before - logOf(market)) };
}

/** A plain pool of so much SOL. */
export function poolWith(quote: number, feePpm = 3_000): VirtualMarket {
  return { quote, base: quote * 1e4, real: quote, feePpm, isPaused: false };
}

/** A launchpad's curve after `raised` SOL were paid in: 30 virtual SOL, full at 85. */
export function curveWith(raised: number): VirtualMarket {
  const quote = 30 + raised;
  return { quote, base: 32_190 / quote, real: raised, feePpm: 10_000, isPaused: false };
}

function logOf(market: VirtualMarket): number {
  return Math.log(Math.max(capacityOf(market), 0.01));
}
