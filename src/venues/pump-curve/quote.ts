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

/** A trade taken apart: quote units that move the price and that go as fees, and the coins. */
export type CurveTrade = {
  /** What the curve itself pays or is paid, before fees. */
  readonly gross: bigint;
  readonly protocolFee: bigint;
  readonly creatorFee: bigint;
  readonly tokens: bigint;
};

/** @throws MathError where the program would overflow u128 */
export function sellParts(state: PumpCurveState, tokens: bigint): CurveTrade {
  return tradeOf(state, constantProductOut(state.virtualToken, state.virtualQuote, tokens), tokens);
}

function sell(state: PumpCurveState, tokens: bigint): Quote<PumpCurveState> {
  const { gross, protocolFee, creatorFee } = sellParts(state, tokens);
  if (gross > state.realQuote) return unfillable("insufficient-liquidity");
  const net = gross - protocolFee - creatorFee;
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

/**
 * buy_exact_sol_in, in the order of its documentation. The last buyer gets what is left, and is
 * charged for that alone.
 *
 * @throws MathError where the program would overflow u128
 */
export function buyParts(state: PumpCurveState, spendable: bigint): CurveTrade {
  const { virtualQuote, virtualToken, realToken } = state;
  const rates = curveRates(state);
  const totalBps = rates.protocolBps + rates.creatorBps;
  const net = mulDivFloor(spendable, 10_000n, 10_000n + totalBps);
  const protocolFee = feeOf(net, rates.protocolBps);
  const creatorFee = feeOf(net, rates.creatorBps);
  const excess = net + protocolFee + creatorFee - spendable;
  const gross = excess > 0n ? net - excess : net;
  const tokens = gross > 1n ? constantProductOut(virtualQuote, virtualToken, gross - 1n) : 0n;
  if (tokens <= realToken) return { gross, protocolFee, creatorFee, tokens };
  const cost = divFloor(realToken * virtualQuote, virtualToken - realToken) + 1n;
  return tradeOf(state, cost, realToken);
}

function buy(state: PumpCurveState, spendable: bigint): Quote<PumpCurveState> {
  const { gross, tokens } = buyParts(state, spendable);
  if (state.realToken === 0n) return unfillable("insufficient-liquidity");
  if (tokens === 0n) return unfillable("output-zero");
  const realToken = state.realToken - tokens;
  return {
    kind: "filled",
    amountOut: tokens,
    after: {
      ...state,
      virtualToken: state.virtualToken - tokens,
      realToken,
      virtualQuote: checkedU64(state.virtualQuote + gross),
      realQuote: checkedU64(state.realQuote + gross),
      isComplete: realToken === 0n,
    },
  };
}

function tradeOf(state: PumpCurveState, gross: bigint, tokens: bigint): CurveTrade {
  const { protocolBps, creatorBps } = curveRates(state);
  const protocolFee = feeOf(gross, protocolBps);
  return { gross, protocolFee, creatorFee: feeOf(gross, creatorBps), tokens };
}

function unfillable(reason: UnfillableReason): Quote<PumpCurveState> {
  return { kind: "unfillable", reason };
}
