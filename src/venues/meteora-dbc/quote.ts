import type { Address } from "#src/units/address.ts";
import { checkedU64, U64_MAX } from "#src/units/integer.ts";
import { filledOrUnfillable, type Unfillable, unfillable } from "../shared/refusals.ts";
import type { Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import { buyBase, sellBase } from "./curve.ts";
import { feeIncluded, feeNumerator, referencesAt, splitFee, volatilityAfter } from "./fees.ts";
import type { DbcState, OwedFees } from "./state.ts";

/** A swap with the amounts that its event reports. Amounts in base or quote units, whichever moves. */
export type DbcSwap = {
  readonly isBuy: boolean;
  /** What the trader hands over. */
  readonly amountIn: bigint;
  /** What moves the curve: less the fee where that is taken from the input. */
  readonly curveIn: bigint;
  readonly amountOut: bigint;
  /** Partner's and creator's part of the fee. */
  readonly tradingFee: bigint;
  readonly protocolFee: bigint;
  readonly after: DbcState;
};

export type DbcSwapResult = { readonly kind: "filled"; readonly swap: DbcSwap } | Unfillable;

/** Whether the curve holds what its migration waits for. */
export function isComplete(state: DbcState): boolean {
  return state.quoteReserve >= state.config.migrationQuoteThreshold;
}

/** Whether the program lets anyone swap here. */
export function statusOf(state: DbcState): PoolStatus {
  if (state.isMigrated) return "migrated";
  if (isComplete(state)) return "complete";
  return state.isStuck ? "paused" : "open";
}

/** What the program pays for an exact-in order. See `swapExactIn`. */
export function quoteExactIn(state: DbcState, order: ExactIn): Quote<DbcState> {
  const result = swapExactIn(state, order);
  if (result.kind === "unfillable") return result;
  return { kind: "filled", amountOut: result.swap.amountOut, after: result.swap.after };
}

/** The swap as the program would execute it, or why it refuses. Never throws. */
export function swapExactIn(state: DbcState, order: ExactIn): DbcSwapResult {
  const status = statusOf(state);
  if (status !== "open") return unfillable(status);
  if (!trades(state, order.inputMint)) return unfillable("refused");
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  if (order.amountIn > U64_MAX) return unfillable("overflow");
  return filledOrUnfillable(() => swap(state, order));
}

function trades(state: DbcState, mint: Address): boolean {
  return mint === state.baseMint || mint === state.config.quoteMint;
}

/** Slot or time, whichever the config's schedules count in. */
export function pointOf(state: DbcState, clock: Clock): bigint {
  return state.config.countsBy === "slot" ? clock.slot : clock.unixTimestamp;
}

/**
 * The program's swap: references, fee, curve, balances, and the check that a full curve leaves enough
 * for its migration.
 *
 * @see handle_swap_wrapper and get_swap_result_from_exact_input in the source named in this folder's
 *   README
 */
function swap(state: DbcState, { inputMint, amountIn, clock }: ExactIn): DbcSwapResult {
  const { config, sqrtPrice } = state;
  const { unixTimestamp } = clock;
  const isBuy = inputMint !== state.baseMint;
  const references = referencesAt(config.dynamicFee, state.volatility, {
    sqrtPrice,
    unixTimestamp,
  });
  const { activationPoint } = state;
  const point = pointOf(state, clock);
  const numerator = feeNumerator(config, references, { point, activationPoint, isBuy, amountIn });

  const isFeeOnInput = isBuy && config.collects === "quote";
  const feeIn = isFeeOnInput ? feeIncluded(amountIn, numerator) : 0n;
  const curveIn = amountIn - feeIn;
  const walk = (isBuy ? buyBase : sellBase)(config, sqrtPrice, curveIn);
  if (walk.left > 0n) return unfillable("insufficient-liquidity");
  const feeOut = isFeeOnInput ? 0n : feeIncluded(walk.out, numerator);
  const amountOut = walk.out - feeOut;

  const fee = splitFee(feeIn + feeOut, config.creatorTradingFeePercent);
  const isFeeInBase = isBuy && !isFeeOnInput;
  const after: DbcState = {
    ...state,
    baseVaultBalance: balanceAfter(state.baseVaultBalance, isBuy ? -amountOut : amountIn),
    quoteVaultBalance: balanceAfter(state.quoteVaultBalance, isBuy ? amountIn : -amountOut),
    baseReserve: checkedU64(state.baseReserve + (isBuy ? -walk.out : curveIn), "base reserve"),
    quoteReserve: checkedU64(state.quoteReserve + (isBuy ? curveIn : -walk.out), "quote reserve"),
    baseFees: isFeeInBase ? feesAfter(state.baseFees, fee) : state.baseFees,
    quoteFees: isFeeInBase ? state.quoteFees : feesAfter(state.quoteFees, fee),
    sqrtPrice: walk.sqrtPrice,
    volatility: volatilityAfter(config.dynamicFee, references, {
      sqrtPriceBefore: sqrtPrice,
      sqrtPriceAfter: walk.sqrtPrice,
      unixTimestamp,
    }),
  };
  if (isComplete(after) && !leavesEnoughBase(after)) {
    return unfillable("insufficient-liquidity");
  }
  const { trading: tradingFee, protocol: protocolFee } = fee;
  return {
    kind: "filled",
    swap: { isBuy, amountIn, curveIn, amountOut, tradingFee, protocolFee, after },
  };
}

/** A vault can't pay more than it holds. */
function balanceAfter(balance: bigint | null, change: bigint): bigint | null {
  return balance === null ? null : checkedU64(balance + change, "vault balance");
}

function feesAfter(owed: OwedFees, fee: OwedFees): OwedFees {
  return {
    protocol: checkedU64(owed.protocol + fee.protocol, "protocol fee"),
    partner: checkedU64(owed.partner + fee.partner, "partner fee"),
    creator: checkedU64(owed.creator + fee.creator, "creator fee"),
  };
}

/** The purchase that completes a curve is refused where too few base units are left for its pool. */
function leavesEnoughBase(state: DbcState): boolean {
  if (state.baseVaultBalance === null) return true;
  const { migrationBaseThreshold, vestingAmount } = state.config;
  const { protocol, partner, creator } = state.baseFees;
  const needed = migrationBaseThreshold + protocol + partner + creator + vestingAmount;
  return state.baseVaultBalance >= needed;
}
