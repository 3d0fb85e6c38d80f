import { checkedU64, mulDivCeil } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { transferFee } from "../token/transfer-fee.ts";
import type { ExactIn, PoolStatus, Quote, UnfillableReason } from "../venue.ts";
import { CURVES } from "./curve.ts";
import type { LaunchLabState } from "./decode.ts";
import { FEE_DENOMINATOR } from "./layout.ts";

const STATUS = { funding: "open", waiting: "complete", migrated: "migrated" } as const;

export function poolStatus(state: LaunchLabState): PoolStatus {
  return STATUS[state.status];
}

/** sell_exact_in for the base mint, buy_exact_in for the quote mint; no share fee. */
export function quoteExactIn(state: LaunchLabState, order: ExactIn): Quote<LaunchLabState> {
  const status = STATUS[state.status];
  if (status !== "open") return unfillable(status);
  const isBuy = order.inputMint === state.quoteMint;
  if (!isBuy && order.inputMint !== state.baseMint) return unfillable("refused");
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  try {
    checkedU64(order.amountIn);
    return isBuy ? buy(state, order) : sell(state, order);
  } catch (error) {
    if (error instanceof MathError) return unfillable("overflow");
    throw error;
  }
}

function sell(state: LaunchLabState, { amountIn, clock }: ExactIn): Quote<LaunchLabState> {
  const base = amountIn - transferFee(state.baseTransferFee, amountIn, clock.epoch);
  if (base <= 0n) return unfillable("amount-zero");
  if (base > state.realBase) return unfillable("insufficient-liquidity");
  const gross = CURVES[state.kind].sell(state, base);
  if (gross < 0n || gross > state.realQuote) return unfillable("insufficient-liquidity");
  const sent = gross - totalFee(state, gross);
  const amountOut = sent - transferFee(state.quoteTransferFee, sent, clock.epoch);
  if (amountOut < 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut,
    after: {
      ...state,
      realBase: state.realBase - base,
      realQuote: state.realQuote - gross,
    },
  };
}

function buy(state: LaunchLabState, { amountIn, clock }: ExactIn): Quote<LaunchLabState> {
  const left = state.totalBaseSell - state.realBase;
  if (left <= 0n) return unfillable("insufficient-liquidity");
  const arrived = amountIn - transferFee(state.quoteTransferFee, amountIn, clock.epoch);
  if (arrived <= 0n) return unfillable("amount-zero");
  let cost = arrived - totalFee(state, arrived);
  let base = CURVES[state.kind].buy(state, cost);
  if (base <= 0n) return unfillable("output-zero");
  if (base > left) {
    // The last buyer gets what is left, and is charged for that alone.
    base = left;
    cost = CURVES[state.kind].cost(state, base);
  }
  const amountOut = base - transferFee(state.baseTransferFee, base, clock.epoch);
  if (amountOut < 0n) return unfillable("output-zero");
  const realBase = state.realBase + base;
  return {
    kind: "filled",
    amountOut,
    after: {
      ...state,
      realBase,
      realQuote: checkedU64(state.realQuote + cost),
      status: realBase === state.totalBaseSell ? "waiting" : "funding",
    },
  };
}

/** All rates are added before rounding up; only the split between the receivers rounds each. */
export function totalFee(state: LaunchLabState, amount: bigint): bigint {
  return mulDivCeil(amount, state.feeRate, FEE_DENOMINATOR);
}

function unfillable(reason: UnfillableReason): Quote<LaunchLabState> {
  return { kind: "unfillable", reason };
}
