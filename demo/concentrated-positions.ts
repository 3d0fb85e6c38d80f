import { mulDivFloor, Q64 } from "#src/units/integer.ts";
import { squareRootFloor } from "#src/venues/shared/curves/constant-product.ts";

/** The tick maths of one program: two programs never share it. */
export type TickMath = {
  readonly sqrtPriceAtTick: (tick: number) => bigint;
  readonly tickAtSqrtPrice: (sqrtPriceX64: bigint) => number;
};

/** A tick of a pool's liquidity; `net` is gained when the price rises through it. */
export type LiquidityTick = {
  readonly tick: number;
  readonly liquidityNet: bigint;
  readonly liquidityGross: bigint;
};

export type OpeningLiquidity = {
  readonly sqrtPriceX64: bigint;
  readonly tickCurrent: number;
  readonly liquidity: bigint;
  /** Ascending. */
  readonly ticks: readonly LiquidityTick[];
};

/** Half widths in ticks, and the share of the deposit in each: most people stay near the price. */
const RANGES = [
  { ticks: 9_000, shareBps: 4_500n },
  { ticks: 4_000, shareBps: 3_500n },
  { ticks: 1_200, shareBps: 2_000n },
] as const;

/**
 * Three positions around the price that two deposits set. What a position can't use of one side
 * stays in the vault, as rounding does.
 */
export function openingLiquidity(
  math: TickMath,
  tickSpacing: number,
  amounts: readonly [bigint, bigint],
): OpeningLiquidity {
  const [amount0, amount1] = amounts;
  const sqrtPriceX64 = squareRootFloor((amount1 << 128n) / amount0);
  const tickCurrent = math.tickAtSqrtPrice(sqrtPriceX64);
  const middle = Math.round(tickCurrent / tickSpacing);
  const nets = new Map<number, LiquidityTick>();
  let active = 0n;
  for (const { ticks, shareBps } of RANGES) {
    const steps = Math.max(1, Math.round(ticks / tickSpacing));
    const lower = (middle - steps) * tickSpacing;
    const upper = (middle + steps) * tickSpacing;
    const [low, high] = [math.sqrtPriceAtTick(lower), math.sqrtPriceAtTick(upper)];
    const from0 = mulDivFloor(
      (amount0 * shareBps) / 10_000n,
      (sqrtPriceX64 * high) / (high - sqrtPriceX64),
      Q64,
    );
    const from1 = mulDivFloor((amount1 * shareBps) / 10_000n, Q64, sqrtPriceX64 - low);
    const liquidity = from0 < from1 ? from0 : from1;
    active += liquidity;
    addTo(nets, lower, liquidity, liquidity);
    addTo(nets, upper, -liquidity, liquidity);
  }
  const ticks = [...nets.values()].sort((a, b) => a.tick - b.tick);
  return { sqrtPriceX64, tickCurrent, liquidity: active, ticks };
}

function addTo(ticks: Map<number, LiquidityTick>, tick: number, net: bigint, gross: bigint): void {
  const before = ticks.get(tick);
  ticks.set(tick, {
    tick,
    liquidityNet: (before?.liquidityNet ?? 0n) + net,
    liquidityGross: (before?.liquidityGross ?? 0n) + gross,
  });
}

/**
 * The same ticks with every range's liquidity scaled to `keepBps`, rounded down range by range, so
 * that no range ever ends below zero. Ticks that nothing ends at any more have a gross of zero.
 *
 * @param ticks all of the pool's, ascending
 */
export function scaleLiquidity<Tick extends LiquidityTick>(
  ticks: readonly Tick[],
  keepBps: number,
): readonly Tick[] {
  const scaled = (amount: bigint): bigint => (amount * BigInt(keepBps)) / 10_000n;
  let before = 0n;
  return ticks.map((tick) => {
    const after = before + tick.liquidityNet;
    const liquidityNet = scaled(after) - scaled(before);
    before = after;
    const least = liquidityNet < 0n ? -liquidityNet : liquidityNet;
    const gross = scaled(tick.liquidityGross);
    return { ...tick, liquidityNet, liquidityGross: gross > least ? gross : least };
  });
}

/** The liquidity at a tick: what all ticks up to it add up to. */
export function liquidityAtTick(ticks: readonly LiquidityTick[], tickCurrent: number): bigint {
  return ticks
    .filter(({ tick }) => tick <= tickCurrent)
    .reduce((sum, { liquidityNet }) => sum + liquidityNet, 0n);
}
