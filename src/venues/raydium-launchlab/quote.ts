import { checkedU64, mulDivCeil } from "#src/units/integer.ts";
import { filledOrUnfillable, unfillable } from "../shared/refusals.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { ExactIn, PoolStatus, Quote } from "../venue.ts";
import { CURVES } from "./curve.ts";
import type { LaunchLabState } from "./decode.ts";
import { FEE_DENOMINATOR } from "./layout.ts";

const STATUS = { funding: "open", waiting: "complete", migrated: "migrated" } as const;

export function poolStatus(state: LaunchLabState): PoolStatus {
  const status = STATUS[state.status];
  return status === "open" && state.isStuck ? "paused" : status;
}

/** sell_exact_in for the base mint, buy_exact_in for the quote mint; no share fee. */
export function quoteExactIn(state: LaunchLabState, order: ExactIn): Quote<LaunchLabState> {
  const status = poolStatus(state);
  if (status !== "open") return unfillable(status);
  const isBuy = order.inputMint === state.quoteMint;
  if (!isBuy && order.inputMint !== state.baseMint) return unfillable("refused");
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  return filledOrUnfillable(() => {
    checkedU64(order.amountIn);
    return isBuy ? buy(state, order) : sell(state, order);
  });
}

/** A trade taken apart, before what the mints withhold on the way out. */
export type LaunchTrade = {
  /** Coins that the curve takes back or gives. */
  readonly base: bigint;
  /** Quote units that the curve itself pays or is paid. */
  readonly quote: bigint;
  /** Quote units of fees: off what a sale makes, or on top of what a purchase pays the curve. */
  readonly fee: bigint;
};

/** @throws MathError where the launch holds what no program would have written */
export function sellParts(state: LaunchLabState, { amountIn, clock }: ExactIn): LaunchTrade {
  const base = amountIn - transferFee(state.baseTransferFee, amountIn, clock.epoch);
  if (base <= 0n || base > state.realBase) return { base, quote: 0n, fee: 0n };
  const quote = CURVES[state.kind].sell(state, base);
  return { base, quote, fee: totalFee(state, quote) };
}

function sell(state: LaunchLabState, order: ExactIn): Quote<LaunchLabState> {
  const { base, quote, fee } = sellParts(state, order);
  if (base <= 0n) return unfillable("amount-zero");
  if (base > state.realBase || quote < 0n || quote > state.realQuote) {
    return unfillable("insufficient-liquidity");
  }
  const sent = quote - fee;
  const amountOut = sent - transferFee(state.quoteTransferFee, sent, order.clock.epoch);
  if (amountOut < 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut,
    after: {
      ...state,
      realBase: state.realBase - base,
      realQuote: state.realQuote - quote,
    },
  };
}

/**
 * The last buyer gets what is left, and is charged for that alone.
 *
 * @throws MathError where the launch holds what no program would have written
 */
export function buyParts(state: LaunchLabState, { amountIn, clock }: ExactIn): LaunchTrade {
  const arrived = amountIn - transferFee(state.quoteTransferFee, amountIn, clock.epoch);
  if (arrived <= 0n) return { base: 0n, quote: 0n, fee: 0n };
  const fee = totalFee(state, arrived);
  const quote = arrived - fee;
  const base = CURVES[state.kind].buy(state, quote);
  const left = state.totalBaseSell - state.realBase;
  if (base <= left) return { base, quote, fee };
  const cost = CURVES[state.kind].cost(state, left);
  const rate = totalFeeRate(state);
  const withFee = mulDivCeil(cost, FEE_DENOMINATOR, FEE_DENOMINATOR - rate);
  return { base: left, quote: cost, fee: withFee - cost };
}

function buy(state: LaunchLabState, order: ExactIn): Quote<LaunchLabState> {
  if (state.realBase >= state.totalBaseSell) return unfillable("insufficient-liquidity");
  const { base, quote } = buyParts(state, order);
  if (base <= 0n) return unfillable("output-zero");
  const amountOut = base - transferFee(state.baseTransferFee, base, order.clock.epoch);
  if (amountOut < 0n) return unfillable("output-zero");
  const realBase = state.realBase + base;
  return {
    kind: "filled",
    amountOut,
    after: {
      ...state,
      realBase,
      realQuote: checkedU64(state.realQuote + quote),
      status: realBase === state.totalBaseSell ? "waiting" : "funding",
    },
  };
}

/** All rates are added before rounding up; only the split between the receivers rounds each. */
function totalFee(state: LaunchLabState, amount: bigint): bigint {
  return mulDivCeil(amount, totalFeeRate(state), FEE_DENOMINATOR);
}

/** Parts per million of the quote amount. */
export function totalFeeRate({ feeRates }: LaunchLabState): bigint {
  return feeRates.protocol + feeRates.platform + feeRates.creator;
}
