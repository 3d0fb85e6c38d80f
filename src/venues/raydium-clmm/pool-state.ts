import type { Address } from "#src/units/address.ts";
import type { Direction } from "../shared/curves/direction.ts";
import type { TickSide } from "../shared/tick-pool.ts";
import type { DynamicFee } from "./dynamic-fee.ts";

/** Which token the trade fee is taken from. */
export type FeeSide = "input" | "token0" | "token1";

/** A price level at which liquidity changes or limit orders wait. */
export type Tick = {
  readonly tick: number;
  /** What the pool's liquidity gains when the price rises through it. */
  readonly liquidityNet: bigint;
  /** All positions that end here; zero: crossing changes nothing. */
  readonly liquidityGross: bigint;
  /** Untouched limit orders, base units of the token that they sell. */
  readonly ordersAmount: bigint;
  /** What is left of the orders that are being filled, filled first. */
  readonly partFilledOrdersRemaining: bigint;
};

/** A concentrated liquidity pool as far as selling goes; prices are token1 per token0. */
export type ClmmState = {
  readonly token0: TickSide;
  readonly token1: TickSide;
  readonly isSwapDisabled: boolean;
  /** Seconds; swaps begin strictly after it. */
  readonly openTime: bigint;
  /** Seconds: the last update of a reward; the program refuses a clock before it. */
  readonly writtenAt: bigint;
  readonly feeSide: FeeSide;
  readonly tradeFeePpm: number;
  readonly tickSpacing: number;
  readonly liquidity: bigint;
  readonly sqrtPriceX64: bigint;
  readonly tickCurrent: number;
  readonly dynamicFee: DynamicFee | null;
  /**
   * Initialised ticks of the loaded tick arrays around the price, ascending. Where they end, the
   * pool ends: either there is nothing beyond, or it was not loaded.
   */
  readonly ticks: readonly Tick[];
  /** Whether a tick array that the pool's bitmap marks within reach is missing. */
  readonly isPartlyLoaded: boolean;
};

/** Which way the price goes as `inputMint` is sold. */
export function directionOf(state: ClmmState, inputMint: Address): Direction {
  return inputMint === state.token0.mint ? "down" : "up";
}

/** Base units of limit orders that wait at a tick, of the token that they sell. */
export function unfilledOrders(tick: Tick): bigint {
  return tick.ordersAmount + tick.partFilledOrdersRemaining;
}

/** Whether the program stops at this tick. */
export function isInitialized(tick: Tick): boolean {
  return tick.liquidityGross > 0n || unfilledOrders(tick) > 0n;
}

/** Whether a transfer in or out always fails: the program passes a transfer hook no accounts. */
export function isTransferBlocked({ token0, token1 }: ClmmState): boolean {
  return [token0, token1].some(({ isStuck, hasHook }) => isStuck || hasHook);
}
