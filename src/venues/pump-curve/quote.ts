import { checkedU64, divFloor, mulDivFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { constantProductOut } from "../curves/constant-product.ts";
import { type FeeRates, feeOf, ratesAt } from "../pump-fees/fee-config.ts";
import type { ExactIn, PoolStatus, Quote, UnfillableReason } from "../venue.ts";
import type { PumpCurveState } from "./decode.ts";

/** A full curve keeps its virtual reserves until somebody migrates it, which zeroes all four. */
export function curveStatus(state: PumpCurveState): PoolStatus {
  if (!state.isComplete) return "open";
  const { virtualToken, virtualQuote, realToken, realQuote } = state;
  const isEmptied = (virtualToken | virtualQuote | realToken | realQuote) === 0n;
  return isEmptied ? "migrated" : "complete";
}

/** Sells the coin for the quote, or buys it: any mint but the quote mint is taken for the coin. */
export function quoteExactIn(state: PumpCurveState, order: ExactIn): Quote<PumpCurveState> {
  const status = curveStatus(state);
  if (status === "complete" || status === "migrated") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  if (state.virtualToken === 0n || state.virtualQuote === 0n) {
    return unfillable("insufficient-liquidity");
  }
  try {
    checkedU64(order.amountIn);
    return order.inputMint === state.quoteMint
      ? buy(state, order.amountIn)
      : sell(state, order.amountIn);
  } catch (error) {
    if (error instanceof MathError) return unfillable("overflow");
    throw error;
  }
}

/**
 * What a trade pays at the state before it: `floor(virtual quote * supply / virtual token)` picks the
 * tier. An emptied curve, which trades nothing, is taken for one of no market cap.
 */
export function curveRates(state: PumpCurveState): FeeRates {
  const { virtualQuote, virtualToken, marketCapSupply, schedule } = state;
  if (virtualToken === 0n) return schedule[0].rates;
  return ratesAt(schedule, mulDivFloor(virtualQuote, marketCapSupply, virtualToken));
}

function sell(state: PumpCurveState, tokens: bigint): Quote<PumpCurveState> {
  const gross = constantProductOut(state.virtualToken, state.virtualQuote, tokens);
  if (gross > state.realQuote) return unfillable("insufficient-liquidity");
  const rates = curveRates(state);
  const net = gross - feeOf(gross, rates.protocolBps) - feeOf(gross, rates.creatorBps);
  if (net < 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut: net,
    after: {
      ...state,
      virtualToken: checkedU64(state.virtualToken + tokens),
      realToken: checkedU64(state.realToken + tokens),
      virtualQuote: state.virtualQuote - gross,
      realQuote: state.realQuote - gross,
    },
  };
}

/** buy_exact_sol_in, in the order of its documentation. */
function buy(state: PumpCurveState, spendable: bigint): Quote<PumpCurveState> {
  const rates = curveRates(state);
  const totalBps = rates.protocolBps + rates.creatorBps;
  let cost = mulDivFloor(spendable, 10_000n, 10_000n + totalBps);
  const fees = feeOf(cost, rates.protocolBps) + feeOf(cost, rates.creatorBps);
  if (cost + fees > spendable) cost -= cost + fees - spendable;
  if (cost <= 1n) return unfillable("output-zero");
  let tokens = constantProductOut(state.virtualQuote, state.virtualToken, cost - 1n);
  if (tokens === 0n) return unfillable("output-zero");
  if (state.realToken === 0n) return unfillable("insufficient-liquidity");
  if (tokens > state.realToken) {
    // The last buyer gets what is left, and is charged for that alone.
    tokens = state.realToken;
    cost = divFloor(tokens * state.virtualQuote, state.virtualToken - tokens) + 1n;
  }
  const realToken = state.realToken - tokens;
  return {
    kind: "filled",
    amountOut: tokens,
    after: {
      ...state,
      virtualToken: state.virtualToken - tokens,
      realToken,
      virtualQuote: checkedU64(state.virtualQuote + cost),
      realQuote: checkedU64(state.realQuote + cost),
      isComplete: realToken === 0n,
    },
  };
}

function unfillable(reason: UnfillableReason): Quote<PumpCurveState> {
  return { kind: "unfillable", reason };
}
