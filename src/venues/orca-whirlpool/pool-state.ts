import type { Address } from "#src/units/address.ts";
import type { Direction } from "../shared/curves/direction.ts";
import type { TickSide } from "../shared/tick-pool.ts";
import type { AdaptiveFee } from "./adaptive-fee.ts";

/** A price level at which liquidity changes. */
export type Tick = {
  readonly tick: number;
  /** What the pool's liquidity gains when the price rises through it. */
  readonly liquidityNet: bigint;
};

/** Initialised ticks of one array, ascending; none where the array does not exist. */
export type TickArray = { readonly start: number; readonly ticks: readonly Tick[] };

/** A Whirlpool as far as selling goes; prices are token B per token A. */
export type WhirlpoolState = {
  readonly tokenA: TickSide;
  readonly tokenB: TickSide;
  readonly tickSpacing: number;
  readonly feeRatePpm: number;
  readonly liquidity: bigint;
  readonly sqrtPriceX64: bigint;
  readonly tickCurrent: number;
  /** Seconds; swaps begin at it. Zero where the pool has no Oracle. */
  readonly tradeEnableTimestamp: bigint;
  readonly adaptiveFee: AdaptiveFee | null;
  /** The latest time that the program wrote to the pool or its Oracle; it refuses a clock before it. Seconds. */
  readonly writtenAt: bigint;
  /** What is known of the arrays that a swap may use, by their start. */
  readonly arrays: ReadonlyMap<number, TickArray>;
  /** Whether one of the arrays that a swap may use was not delivered. */
  readonly isPartlyLoaded: boolean;
};

/** Which way the price goes as `inputMint` is sold. */
export function directionOf(state: WhirlpoolState, inputMint: Address): Direction {
  return inputMint === state.tokenA.mint ? "down" : "up";
}
