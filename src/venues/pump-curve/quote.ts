import { checkedU64, divFloor, minBigint, mulDivFloor } from "#src/units/integer.ts";
import { constantProductOut } from "../shared/curves/constant-product.ts";
import {
  type FeeRates,
  feeOf,
  ratesAt,
  ratesInChain,
  SINGLE_SALE,
} from "../shared/pump-fees/fee-config.ts";
import { filledOrUnfillable, unfillable } from "../shared/refusals.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { ExactOut } from "../swap-reader.ts";
import type { ChainPlace, Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import type { PumpCurveState } from "./decode.ts";

/** A full curve keeps its virtual reserves until it is migrated, which zeroes all four. */
export function curveStatus(state: PumpCurveState): PoolStatus {
  if (!state.isComplete) return state.hasFrozenVault || state.isQuoteStuck ? "paused" : "open";
  const { virtualToken, virtualQuote, realToken, realQuote } = state;
  const isEmptied = (virtualToken | virtualQuote | realToken | realQuote) === 0n;
  return isEmptied ? "migrated" : "complete";
}

/** Sells the coin for the quote, or buys it: any mint but the quote mint is taken for the coin. */
export function quoteExactIn(state: PumpCurveState, order: ExactIn): Quote<PumpCurveState> {
  const status = curveStatus(state);
  if (status !== "open") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  const isBuy = order.inputMint === state.quoteMint;
  // A curve without any quote executes sales, which pay nothing; a purchase of it was never executed.
  if (state.virtualToken === 0n || (isBuy && state.virtualQuote === 0n)) {
    return unfillable("insufficient-liquidity");
  }
  return filledOrUnfillable(() => {
    checkedU64(order.amountIn);
    return isBuy
      ? buy(state, order.amountIn, { place: null, clock: order.clock })
      : sell(state, order.amountIn, { place: SINGLE_SALE, clock: order.clock });
  });
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

/** What sales can take out: pump counts it, and the quote vault must hold it. */
export function payableQuote({ realQuote, quoteVaultBalance }: PumpCurveState): bigint {
  return quoteVaultBalance === null ? realQuote : minBigint(realQuote, quoteVaultBalance);
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
export function sellParts(
  state: PumpCurveState,
  tokens: bigint,
  place: ChainPlace = SINGLE_SALE,
): CurveTrade {
  const gross = constantProductOut(state.virtualToken, state.virtualQuote, tokens);
  return tradeOf(ratesInChain(curveRates(state), place), gross, tokens);
}

/**
 * One hop of a purchase by multi_hop_swap: the coin that is bought pays its creator's fee, the first hop
 * the protocol's. Answers never buy: for the accuracy record alone.
 */
export function purchaseInChain(
  state: PumpCurveState,
  { amountIn, clock }: ExactIn,
  place: ChainPlace,
): Quote<PumpCurveState> | null {
  if (state.quoteTransferFee !== null) return null;
  if (curveStatus(state) !== "open" || state.virtualQuote === 0n) return unfillable("refused");
  return filledOrUnfillable(() => buy(state, checkedU64(amountIn), { place, clock }));
}

/**
 * One hop of multi_hop_swap; null where that instruction never sells on this curve at this place. A
 * hop that yields nothing fails the instruction.
 */
export function quoteInChain(
  state: PumpCurveState,
  { amountIn, clock }: ExactIn,
  place: ChainPlace,
): Quote<PumpCurveState> | null {
  if (!sellsInChain(state, place)) return null;
  const found = filledOrUnfillable(() => sell(state, checkedU64(amountIn), { place, clock }));
  return found.kind === "filled" && found.amountOut === 0n ? unfillable("output-zero") : found;
}

function sellsInChain(state: PumpCurveState, { isFirst }: ChainPlace): boolean {
  const { isMayhem, isCashback, quoteTransferFee, virtualToken, virtualQuote } = state;
  if (isMayhem || (isCashback && isFirst) || quoteTransferFee !== null) return false;
  return curveStatus(state) === "open" && virtualToken > 0n && virtualQuote > 0n;
}

function sell(
  state: PumpCurveState,
  tokens: bigint,
  { place, clock }: { readonly place: ChainPlace; readonly clock: Clock },
): Quote<PumpCurveState> {
  const { gross, protocolFee, creatorFee } = sellParts(state, tokens, place);
  if (gross > state.realQuote) return unfillable("insufficient-liquidity");
  const net = gross - protocolFee - creatorFee;
  if (net < 0n) return unfillable("output-zero");
  const { quoteVaultBalance } = state;
  // sell_v2, which sells cashback coins, pays out every fee; sell_v3 the buyback, of mayhem coins none.
  const buyback = state.isMayhem ? 0n : mulDivFloor(protocolFee, state.buybackBps, 10_000n);
  const leavesVault = state.isCashback ? gross : net + buyback;
  if (quoteVaultBalance !== null && leavesVault > quoteVaultBalance) {
    return unfillable("insufficient-liquidity");
  }
  return {
    kind: "filled",
    amountOut: checkedU64(net - transferFee(state.quoteTransferFee, net, clock.epoch)),
    after: {
      ...state,
      virtualToken: checkedU64(state.virtualToken + tokens),
      realToken: checkedU64(state.realToken + tokens),
      virtualQuote: state.virtualQuote - gross,
      realQuote: state.realQuote - gross,
      quoteVaultBalance: quoteVaultBalance === null ? null : quoteVaultBalance - leavesVault,
    },
  };
}

/**
 * buy_exact_sol_in, in the order of its documentation. The last buyer gets what is left, and is
 * charged for that alone.
 *
 * @param place of a hop of multi_hop_swap, which spends what rounding leaves over; null: a purchase alone
 * @throws MathError where the program would overflow u128
 */
export function buyParts(
  state: PumpCurveState,
  spendable: bigint,
  place: ChainPlace | null = null,
): CurveTrade {
  const { virtualQuote, virtualToken, realToken } = state;
  const rates = ratesInChain(curveRates(state), place ?? SINGLE_SALE);
  const totalBps = rates.protocolBps + rates.creatorBps;
  const net = mulDivFloor(spendable, 10_000n, 10_000n + totalBps);
  const protocolFee = feeOf(net, rates.protocolBps);
  const creatorFee = feeOf(net, rates.creatorBps);
  const rest = spendable - protocolFee - creatorFee;
  const gross = place === null ? minBigint(net, rest) : rest;
  const tokens = gross > 1n ? constantProductOut(virtualQuote, virtualToken, gross - 1n) : 0n;
  return tokens <= realToken
    ? { gross, protocolFee, creatorFee, tokens }
    : purchaseOf(state, realToken, rates);
}

/** The instruction `buy` and its later versions, which name the tokens. @throws MathError beyond u128 */
function purchaseOf(
  { virtualQuote, virtualToken }: PumpCurveState,
  tokens: bigint,
  rates: FeeRates,
): CurveTrade {
  const cost = divFloor(tokens * virtualQuote, virtualToken - tokens) + 1n;
  return tradeOf(rates, cost, tokens);
}

/** What named tokens cost with all fees. The transfer fee of a quote was never recorded here. */
export function costExactOut(
  state: PumpCurveState,
  { inputMint, amountOut }: ExactOut,
): bigint | "refused" | "other-terms" {
  if (state.quoteTransferFee !== null || inputMint !== state.quoteMint) return "other-terms";
  const isOpen = curveStatus(state) === "open";
  if (!isOpen || amountOut <= 0n || amountOut > state.realToken) return "refused";
  const { gross, protocolFee, creatorFee } = purchaseOf(state, amountOut, curveRates(state));
  return gross + protocolFee + creatorFee;
}

function buy(
  state: PumpCurveState,
  spent: bigint,
  { place, clock }: { readonly place: ChainPlace | null; readonly clock: Clock },
): Quote<PumpCurveState> {
  const spendable = checkedU64(spent - transferFee(state.quoteTransferFee, spent, clock.epoch));
  const { gross, tokens } = buyParts(state, spendable, place);
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
      // Which of the fees stay there depends on the instruction.
      quoteVaultBalance:
        state.quoteVaultBalance === null ? null : checkedU64(state.quoteVaultBalance + gross),
      isComplete: realToken === 0n,
    },
  };
}

function tradeOf({ protocolBps, creatorBps }: FeeRates, gross: bigint, tokens: bigint): CurveTrade {
  const protocolFee = feeOf(gross, protocolBps);
  return { gross, protocolFee, creatorFee: feeOf(gross, creatorBps), tokens };
}
