import { checkedU64, minBigint, mulDivCeil, mulDivFloor } from "#src/units/integer.ts";
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
import type { ChainPlace, Clock, ExactIn, Quote } from "../venue.ts";
import type { PumpSwapState } from "./decode.ts";

/** Selling the base mint is the program's sell; selling the quote mint is its buy_exact_quote_in. */
export function quoteExactIn(state: PumpSwapState, order: ExactIn): Quote<PumpSwapState> {
  const isBuy = order.inputMint === state.quoteMint;
  if (!isBuy && order.inputMint !== state.baseMint) return unfillable("refused");
  if (isBuy ? state.isBuyDisabled : state.isSellDisabled) return unfillable("paused");
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  if (!areReservesValid(state)) return unfillable("insufficient-liquidity");
  return filledOrUnfillable(() => {
    checkedU64(order.amountIn);
    return isBuy
      ? buy(state, order.amountIn, { place: null, clock: order.clock })
      : sell(state, order.amountIn, { place: SINGLE_SALE, clock: order.clock });
  });
}

/**
 * One hop of multi_hop_swap; null where that instruction never sells in this pool at this place. A
 * hop that yields nothing fails the instruction.
 */
export function quoteInChain(
  state: PumpSwapState,
  { inputMint, amountIn, clock }: ExactIn,
  place: ChainPlace,
): Quote<PumpSwapState> | null {
  if (inputMint !== state.baseMint || !sellsInChain(state, place)) return null;
  const found = filledOrUnfillable(() => sell(state, checkedU64(amountIn), { place, clock }));
  return found.kind === "filled" && found.amountOut === 0n ? unfillable("output-zero") : found;
}

/**
 * One hop of a purchase by multi_hop_swap: the coin that is bought pays its creator's and the liquidity
 * providers' fee, the first hop the protocol's. Answers never buy: for the accuracy record alone.
 */
export function purchaseInChain(
  state: PumpSwapState,
  { amountIn, clock }: ExactIn,
  place: ChainPlace,
): Quote<PumpSwapState> | null {
  if (state.baseTransferFee !== null || state.quoteTransferFee !== null) return null;
  if (!areReservesValid(state)) return unfillable("refused");
  return filledOrUnfillable(() => buy(state, checkedU64(amountIn), { place, clock }));
}

/** Cashback coins are refused only where their creator fee is charged. Taxed mints were never recorded. */
function sellsInChain(state: PumpSwapState, { isFirst }: ChainPlace): boolean {
  const { isLaunched, isMayhem, isCashback, baseTransferFee, quoteTransferFee } = state;
  if (!isLaunched || isMayhem || (isCashback && isFirst)) return false;
  if (baseTransferFee !== null || quoteTransferFee !== null || state.isSellDisabled) return false;
  return state.baseReserve > 0n && effectiveQuote(state) > 0n;
}

/** The quote reserve that prices a trade: the vault and the virtual reserve, which holds no tokens. */
export function effectiveQuote(state: PumpSwapState): bigint {
  return state.quoteReserve + state.virtualQuote;
}

/**
 * The program divides by the base reserve, and fails where a reserve of the quote is below zero. None at
 * all is a price of zero: a sale pays nothing, and a purchase takes the base reserve whole.
 */
function areReservesValid(state: PumpSwapState): boolean {
  return state.baseReserve > 0n && effectiveQuote(state) >= 0n && payableQuote(state) >= 0n;
}

/** What of the quote vault can be paid out: the fees not yet swept belong to others. May be negative. */
export function payableQuote(state: PumpSwapState): bigint {
  return state.quoteReserve - state.unsweptFees;
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
export function sellParts(
  state: PumpSwapState,
  base: bigint,
  place: ChainPlace = SINGLE_SALE,
): SellParts {
  const rates = ratesInChain(poolRates(state), place);
  const gross = constantProductOut(state.baseReserve, effectiveQuote(state), base);
  const lpFee = feeOf(gross, rates.lpBps);
  const protocolFee = feeOf(gross, rates.protocolBps);
  const creatorFee = feeOf(gross, rates.creatorBps);
  return { gross, lpFee, protocolFee, creatorFee, net: gross - lpFee - protocolFee - creatorFee };
}

function sell(
  state: PumpSwapState,
  base: bigint,
  { place, clock: { epoch } }: { readonly place: ChainPlace; readonly clock: Clock },
): Quote<PumpSwapState> {
  // What the base mint's transfer fee withholds is priced, although it does not reach the vault.
  const { gross, lpFee, net } = sellParts(state, base, place);
  // The liquidity providers' fee stays: only the rest has to be there.
  if (gross - lpFee > payableQuote(state)) return unfillable("insufficient-liquidity");
  if (net < 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut: checkedU64(net - transferFee(state.quoteTransferFee, net, epoch)),
    after: {
      ...state,
      baseReserve: checkedU64(
        state.baseReserve + base - transferFee(state.baseTransferFee, base, epoch),
      ),
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

/**
 * @param place of a hop of multi_hop_swap, which spends what rounding leaves over; null: a purchase alone
 * @throws MathError where the program would overflow u128
 */
export function buyParts(
  state: PumpSwapState,
  spendable: bigint,
  place: ChainPlace | null = null,
): BuyParts {
  const rates = ratesInChain(poolRates(state), place ?? SINGLE_SALE);
  const totalBps = rates.lpBps + rates.protocolBps + rates.creatorBps;
  const net = mulDivFloor(spendable, 10_000n, 10_000n + totalBps);
  const lpFee = feeOf(net, rates.lpBps);
  const protocolFee = feeOf(net, rates.protocolBps);
  const creatorFee = feeOf(net, rates.creatorBps);
  const rest = spendable - lpFee - protocolFee - creatorFee;
  const cost = place === null ? minBigint(net, rest) : rest;
  // One unit less than is paid, so that the plain buy of this output never costs more.
  const base =
    cost > 1n ? constantProductOut(effectiveQuote(state), state.baseReserve, cost - 1n) : 0n;
  return { cost, lpFee, protocolFee, creatorFee, base };
}

/** What named base units cost with all fees. Transfer fees were never recorded here. */
export function costExactOut(
  state: PumpSwapState,
  { inputMint, amountOut }: ExactOut,
): bigint | "refused" | "other-terms" {
  const { baseReserve, baseTransferFee, quoteTransferFee, quoteMint } = state;
  if (baseTransferFee !== null || quoteTransferFee !== null || inputMint !== quoteMint)
    return "other-terms";
  if (state.isBuyDisabled || amountOut <= 0n || amountOut >= baseReserve) return "refused";
  const quote = effectiveQuote(state);
  // None was executed at a quote of zero.
  if (quote === 0n || !areReservesValid(state)) return "refused";
  const rates = poolRates(state);
  const cost = mulDivCeil(quote, amountOut, baseReserve - amountOut);
  return (
    cost + feeOf(cost, rates.lpBps) + feeOf(cost, rates.protocolBps) + feeOf(cost, rates.creatorBps)
  );
}

function buy(
  state: PumpSwapState,
  spent: bigint,
  { place, clock: { epoch } }: { readonly place: ChainPlace | null; readonly clock: Clock },
): Quote<PumpSwapState> {
  const spendable = checkedU64(spent - transferFee(state.quoteTransferFee, spent, epoch));
  const { cost, lpFee, base } = buyParts(state, spendable, place);
  if (base === 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    amountOut: checkedU64(base - transferFee(state.baseTransferFee, base, epoch)),
    after: {
      ...state,
      baseReserve: state.baseReserve - base,
      quoteReserve: checkedU64(state.quoteReserve + cost + lpFee),
    },
  };
}
