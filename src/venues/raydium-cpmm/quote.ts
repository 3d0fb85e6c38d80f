import { checkedU64, checkedU128 } from "#src/units/integer.ts";
import { constantProductOut } from "../shared/curves/constant-product.ts";
import {
  filledOrUnfillable,
  reserveRefusal,
  type Unfillable,
  unfillable,
} from "../shared/refusals.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import type { CpmmState, CpmmToken } from "./decode.ts";
import { feeCeil, feeFloor, feesWithCreator } from "./fees.ts";

/** Whether the program takes swaps at this clock. */
export function statusAt(state: CpmmState, clock: Clock): PoolStatus {
  if (state.isSwapDisabled || state.token0.isStuck || state.token1.isStuck) return "paused";
  return clock.unixTimestamp < state.openTime ? "not-open-yet" : "open";
}

/**
 * Vault balance less what is owed to protocol, fund and creator, in base units.
 *
 * @throws MathError where more is owed than the vault holds
 */
export function reserveOf(token: CpmmToken): bigint {
  const owed = checkedU64(token.protocolFees + token.fundFees + token.creatorFees, "fees owed");
  return checkedU64(token.vaultAmount - owed, "reserve");
}

/** One swap as the program counts it; base units. */
export type Swap = {
  readonly isZeroForOne: boolean;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** What reaches the input vault, after its transfer fee. */
  readonly reaching: bigint;
  /** What leaves the output vault, before its transfer fee. */
  readonly paid: bigint;
  /** What reaches the trader. */
  readonly received: bigint;
  readonly tradeFee: bigint;
  readonly creatorFee: bigint;
  readonly isCreatorFeeOnInput: boolean;
};

export type SwapResult =
  | { readonly kind: "filled"; readonly swap: Swap; readonly after: CpmmState }
  | Unfillable;

/**
 * An exact-in swap in the program's own order of operations.
 *
 * @see swap_base_input in the source named in this folder's README
 */
export function quoteExactIn(state: CpmmState, order: ExactIn): Quote<CpmmState> {
  const result = swapExactIn(state, order);
  return result.kind === "filled"
    ? { kind: "filled", amountOut: result.swap.received, after: result.after }
    : result;
}

/** The same with every fee, as the program's event reports it. Never throws. */
export function swapExactIn(state: CpmmState, order: ExactIn): SwapResult {
  const status = statusAt(state, order.clock);
  if (status !== "open") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  return filledOrUnfillable(() => swapBaseInput(state, order), reserveRefusal);
}

function swapBaseInput(state: CpmmState, order: ExactIn): SwapResult {
  const isZeroForOne = order.inputMint === state.token0.mint;
  if (!isZeroForOne && order.inputMint !== state.token1.mint) return unfillable("refused");
  const input = isZeroForOne ? state.token0 : state.token1;
  const output = isZeroForOne ? state.token1 : state.token0;

  const amountIn = checkedU64(order.amountIn, "amount in");
  const reaching = amountIn - transferFee(input.transferFee, amountIn, order.clock.epoch);
  if (reaching <= 0n) return unfillable("amount-zero");
  const reserveIn = reserveOf(input);
  const reserveOut = reserveOf(output);
  // The program divides each reserve by the other for its price record.
  if (reserveIn === 0n || reserveOut === 0n) return unfillable("insufficient-liquidity");

  const isCreatorFeeOnInput = creatorFeeIsOnInput(state, isZeroForOne);
  const fees = isCreatorFeeOnInput
    ? feesWithCreator(reaching, state.tradeFeeRate, state.creatorFeeRate)
    : { trade: feeCeil(reaching, state.tradeFeeRate), creator: 0n };
  const swappedIn = checkedU128(reaching - fees.trade - fees.creator, "amount less fees");
  const swappedOut = constantProductOut(reserveIn, reserveOut, swappedIn);
  const creatorFeeOut = isCreatorFeeOnInput ? 0n : feeCeil(swappedOut, state.creatorFeeRate);
  const paid = checkedU128(swappedOut - creatorFeeOut, "amount out");
  checkedU128((reserveIn + swappedIn) * (reserveOut - swappedOut), "constant after");
  const received = paid - transferFee(output.transferFee, paid, order.clock.epoch);
  if (received <= 0n) return unfillable("output-zero");

  const swap = {
    isZeroForOne,
    reserveIn,
    reserveOut,
    reaching,
    paid,
    received,
    tradeFee: fees.trade,
    creatorFee: fees.creator + creatorFeeOut,
    isCreatorFeeOnInput,
  };
  return { kind: "filled", swap, after: stateAfter(state, swap) };
}

/** @throws MathError where a balance leaves u64, as the program or the token program would */
function stateAfter(state: CpmmState, swap: Swap): CpmmState {
  const { isZeroForOne, reaching, paid, tradeFee } = swap;
  const input = isZeroForOne ? state.token0 : state.token1;
  const output = isZeroForOne ? state.token1 : state.token0;
  const [creatorFeeIn, creatorFeeOut] = swap.isCreatorFeeOnInput
    ? [swap.creatorFee, 0n]
    : [0n, swap.creatorFee];
  const protocolFee = checkedU64(feeFloor(tradeFee, state.protocolFeeRate), "protocol fee");
  const fundFee = checkedU64(feeFloor(tradeFee, state.fundFeeRate), "fund fee");
  const inputAfter = {
    ...input,
    vaultAmount: checkedU64(input.vaultAmount + reaching, "input vault"),
    protocolFees: checkedU64(input.protocolFees + protocolFee, "protocol fees"),
    fundFees: checkedU64(input.fundFees + fundFee, "fund fees"),
    creatorFees: checkedU64(input.creatorFees + creatorFeeIn, "creator fees"),
  };
  const outputAfter = {
    ...output,
    vaultAmount: output.vaultAmount - paid,
    creatorFees: checkedU64(output.creatorFees + creatorFeeOut, "creator fees"),
  };
  return {
    ...state,
    token0: isZeroForOne ? inputAfter : outputAfter,
    token1: isZeroForOne ? outputAfter : inputAfter,
  };
}

/** Whether the creator's fee is taken before the swap, from what comes in. */
export function creatorFeeIsOnInput(state: CpmmState, isZeroForOne: boolean): boolean {
  if (state.creatorFeeOn === "input") return true;
  return (state.creatorFeeOn === "token0") === isZeroForOne;
}
