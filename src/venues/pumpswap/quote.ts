import { checkedU64, mulDivFloor } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { constantProductOut } from "../curves/constant-product.ts";
import { type FeeRates, feeOf, ratesAt } from "../pump-fees/fee-config.ts";
import type { ExactIn, Quote, UnfillableReason } from "../venue.ts";
import type { PumpSwapState } from "./decode.ts";

/** Selling the base mint is the program's sell; selling the quote mint is its buy_exact_quote_in. */
export function quoteExactIn(state: PumpSwapState, order: ExactIn): Quote<PumpSwapState> {
  const isBuy = order.inputMint === state.quoteMint;
  if (!isBuy && order.inputMint !== state.baseMint) return unfillable("refused");
  if (isBuy ? state.isBuyDisabled : state.isSellDisabled) return unfillable("paused");
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  if (state.baseReserve === 0n || state.quoteReserve === 0n || effectiveQuote(state) <= 0n) {
    return unfillable("insufficient-liquidity");
  }
  try {
    checkedU64(order.amountIn);
    return isBuy ? buy(state, order.amountIn) : sell(state, order.amountIn);
  } catch (error) {
    if (error instanceof MathError) return unfillable("overflow");
    throw error;
  }
}

/** The quote reserve that prices a trade: the vault and the virtual reserve, which is no money. */
export function effectiveQuote(state: PumpSwapState): bigint {
  return state.quoteReserve + state.virtualQuote;
}

/**
 * What a trade pays at the state before it: `floor(effective quote * supply / base)` picks the tier.
 * An empty pool, which trades nothing, is taken for one of no market cap.
 */
export function poolRates(state: PumpSwapState): FeeRates {
  const { schedule, baseReserve, marketCapSupply } = state;
  const quote = effectiveQuote(state);
  if (baseReserve === 0n || quote <= 0n) return schedule[0].rates;
  return ratesAt(schedule, mulDivFloor(quote, marketCapSupply, baseReserve));
}

function sell(state: PumpSwapState, base: bigint): Quote<PumpSwapState> {
  const rates = poolRates(state);
  const gross = constantProductOut(state.baseReserve, effectiveQuote(state), base);
  const lpFee = feeOf(gross, rates.lpBps);
  const net = gross - lpFee - feeOf(gross, rates.protocolBps) - feeOf(gross, rates.creatorBps);
  // The liquidity providers' fee stays: only the rest has to be there.
  if (gross - lpFee > state.quoteReserve) return unfillable("insufficient-liquidity");
  if (net < 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut: net,
    after: {
      ...state,
      baseReserve: checkedU64(state.baseReserve + base),
      quoteReserve: state.quoteReserve - (gross - lpFee),
    },
  };
}

function buy(state: PumpSwapState, spendable: bigint): Quote<PumpSwapState> {
  const rates = poolRates(state);
  const totalBps = rates.lpBps + rates.protocolBps + rates.creatorBps;
  let cost = mulDivFloor(spendable, 10_000n, 10_000n + totalBps);
  const lpFee = feeOf(cost, rates.lpBps);
  const fees = lpFee + feeOf(cost, rates.protocolBps) + feeOf(cost, rates.creatorBps);
  if (cost + fees > spendable) cost -= cost + fees - spendable;
  if (cost <= 1n) return unfillable("output-zero");
  // One unit less than is paid, so that the plain buy of this output never costs more.
  const base = constantProductOut(effectiveQuote(state), state.baseReserve, cost - 1n);
  if (base === 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut: base,
    after: {
      ...state,
      baseReserve: state.baseReserve - base,
      quoteReserve: checkedU64(state.quoteReserve + cost + lpFee),
    },
  };
}

function unfillable(reason: UnfillableReason): Quote<PumpSwapState> {
  return { kind: "unfillable", reason };
}
