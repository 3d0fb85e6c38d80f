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

/** A sale taken apart, quote units: `net` is what is left of `gross` after the three fees, maybe below zero. */
export type SellParts = {
  readonly gross: bigint;
  readonly lpFee: bigint;
  readonly protocolFee: bigint;
  readonly creatorFee: bigint;
  readonly net: bigint;
};

/** @throws MathError where the program would overflow u128 */
export function sellParts(state: PumpSwapState, base: bigint): SellParts {
  const rates = poolRates(state);
  const gross = constantProductOut(state.baseReserve, effectiveQuote(state), base);
  const lpFee = feeOf(gross, rates.lpBps);
  const protocolFee = feeOf(gross, rates.protocolBps);
  const creatorFee = feeOf(gross, rates.creatorBps);
  return { gross, lpFee, protocolFee, creatorFee, net: gross - lpFee - protocolFee - creatorFee };
}

function sell(state: PumpSwapState, base: bigint): Quote<PumpSwapState> {
  const { gross, lpFee, net } = sellParts(state, base);
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

/** A purchase taken apart: quote units that move the price and that go as fees, base units bought. */
export type BuyParts = {
  readonly cost: bigint;
  readonly lpFee: bigint;
  readonly protocolFee: bigint;
  readonly creatorFee: bigint;
  readonly base: bigint;
};

/** @throws MathError where the program would overflow u128 */
export function buyParts(state: PumpSwapState, spendable: bigint): BuyParts {
  const rates = poolRates(state);
  const totalBps = rates.lpBps + rates.protocolBps + rates.creatorBps;
  let cost = mulDivFloor(spendable, 10_000n, 10_000n + totalBps);
  const lpFee = feeOf(cost, rates.lpBps);
  const protocolFee = feeOf(cost, rates.protocolBps);
  const creatorFee = feeOf(cost, rates.creatorBps);
  const excess = cost + lpFee + protocolFee + creatorFee - spendable;
  if (excess > 0n) cost -= excess;
  // One unit less than is paid, so that the plain buy of this output never costs more.
  const base =
    cost > 1n ? constantProductOut(effectiveQuote(state), state.baseReserve, cost - 1n) : 0n;
  return { cost, lpFee, protocolFee, creatorFee, base };
}

function buy(state: PumpSwapState, spendable: bigint): Quote<PumpSwapState> {
  const { cost, lpFee, base } = buyParts(state, spendable);
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
