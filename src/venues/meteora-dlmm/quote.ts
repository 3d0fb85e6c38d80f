import type { Address } from "#src/units/address.ts";
import { checkedU64, U64_MAX } from "#src/units/integer.ts";
import { filledOrUnfillable, type Unfillable, unfillable } from "../shared/refusals.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { Clock, ExactIn, PoolStatus, Quote } from "../venue.ts";
import { accumulatorAt, feeRate, protocolFee, referencesAt } from "./fees.ts";
import { type BinFill, fillBin, holdsFor, type SwapSide } from "./fill-bin.ts";
import type { Bin, DlmmState } from "./state.ts";

/** A swap with the amounts that its event reports. Amounts in base units. */
export type DlmmSwap = {
  /** What reaches the trader, after the output mint's transfer fee. */
  readonly amountOut: bigint;
  /** What the pool pays, before it. */
  readonly grossOut: bigint;
  /** What reaches the pool, after the input mint's transfer fee. */
  readonly grossIn: bigint;
  readonly fee: bigint;
  readonly protocolFee: bigint;
  /** Of the last bin filled, over 10^9. */
  readonly feeRate: bigint;
  readonly after: DlmmState;
};

export type DlmmSwapResult = { readonly kind: "filled"; readonly swap: DlmmSwap } | Unfillable;

/** How an order of `inputMint` walks this pair, or null where the pair does not trade that mint. */
export function sideOf(state: DlmmState, inputMint: Address): SwapSide | null {
  const sellsX = inputMint === state.mintX;
  if (!sellsX && inputMint !== state.mintY) return null;
  return {
    sellsX,
    isFeeOnInput: !(state.parameters.collectsOnlyY && sellsX),
    countsOrders: state.parameters.hasLimitOrders,
  };
}

/** Whether the program lets anyone swap here now. */
export function statusOf(state: DlmmState, clock: Clock): PoolStatus {
  if (!state.isEnabled || state.isStuck) return "paused";
  if (state.activation === null) return "open";
  const now = state.activation.by === "slot" ? clock.slot : clock.unixTimestamp;
  return now < state.activation.point ? "not-open-yet" : "open";
}

/** Place in `state.bins` of the first bin at or beyond the active one in walking direction. */
export function firstBinIndex(state: DlmmState, side: SwapSide): number {
  const { bins, activeId } = state;
  let low = 0;
  let high = bins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const id = bins[middle]?.id ?? 0;
    if (id < activeId || (side.sellsX && id === activeId)) low = middle + 1;
    else high = middle;
  }
  return side.sellsX ? low - 1 : low;
}

/** What the program pays for an exact-in order. See `swapExactIn`. */
export function quoteExactIn(state: DlmmState, order: ExactIn): Quote<DlmmState> {
  const result = swapExactIn(state, order);
  if (result.kind === "unfillable") return result;
  return { kind: "filled", amountOut: result.swap.amountOut, after: result.swap.after };
}

/** The swap as the program would execute it, or why it refuses. Never throws. */
export function swapExactIn(state: DlmmState, order: ExactIn): DlmmSwapResult {
  const side = sideOf(state, order.inputMint);
  if (side === null) return unfillable("refused");
  const status = statusOf(state, order.clock);
  if (status !== "open") return unfillable(status);
  if (order.amountIn <= 0n) return unfillable("amount-zero");
  if (order.amountIn > U64_MAX) return unfillable("overflow");
  return filledOrUnfillable(() => walkBins(state, side, order));
}

/**
 * The program's swap loop. Bins that hold nothing for this side are left out of `state.bins` or
 * skipped, as in the program: they change nothing, not even the volatility.
 *
 * @see commons/src/quote.rs, quote_exact_in, in the source named in this folder's README
 */
function walkBins(state: DlmmState, side: SwapSide, order: ExactIn): DlmmSwapResult {
  const { parameters } = state;
  const { unixTimestamp, epoch } = order.clock;
  const references = referencesAt(state.volatility, parameters, {
    activeId: state.activeId,
    unixTimestamp,
  });
  const inFees = side.sellsX ? state.transferFeeX : state.transferFeeY;
  const outFees = side.sellsX ? state.transferFeeY : state.transferFeeX;
  const grossIn = order.amountIn - transferFee(inFees, order.amountIn, epoch);

  let left = grossIn;
  let grossOut = 0n;
  let fee = 0n;
  let protocol = 0n;
  let rate = 0n;
  let accumulator = state.volatility.accumulator;
  let activeId = state.activeId;
  const bins = state.bins.slice();
  const step = side.sellsX ? -1 : 1;
  for (let index = firstBinIndex(state, side); left > 0n; index += step) {
    const bin = bins[index];
    if (bin === undefined) {
      const endsUnknown = side.sellsX ? state.endsUnknown.down : state.endsUnknown.up;
      return unfillable(endsUnknown ? "refused" : "insufficient-liquidity");
    }
    if (!holdsFor(bin, side)) continue;
    activeId = bin.id;
    accumulator = accumulatorAt(references, parameters, bin.id);
    rate = feeRate(parameters, accumulator);
    const fill = fillBin(bin, side, left, rate);
    left -= fill.amountIn;
    grossOut = checkedU64(grossOut + fill.amountOut, "amount out");
    fee += fill.fee;
    protocol += protocolFee(fill.fee, parameters.protocolShareBps, fill);
    bins[index] = binAfter(bin, side, fill);
  }
  if (grossOut === 0n) return unfillable("output-zero");
  const reserveOut = side.sellsX ? state.reserveY : state.reserveX;
  if (reserveOut !== null && grossOut > reserveOut) {
    return unfillable("insufficient-liquidity");
  }
  const after: DlmmState = {
    ...state,
    ...balancesAfter(state, side, { grossIn, grossOut, protocol }),
    volatility: {
      ...references,
      accumulator,
      // A swap that ends in the bin where it began leaves the time alone.
      lastUpdateTimestamp:
        activeId === state.activeId ? references.lastUpdateTimestamp : unixTimestamp,
    },
    activeId,
    bins,
  };
  const amountOut = grossOut - transferFee(outFees, grossOut, epoch);
  if (amountOut === 0n) return unfillable("output-zero");
  return {
    kind: "filled",
    swap: { amountOut, grossOut, grossIn, fee, protocolFee: protocol, feeRate: rate, after },
  };
}

/**
 * A bin after a fill: market makers take in what their part paid, orders' proceeds leave what can be
 * quoted. @throws MathError where an amount leaves u64
 */
function binAfter(bin: Bin, side: SwapSide, fill: BinFill): Bin {
  const { out, makerIn } = fill;
  const amountX = side.sellsX
    ? checkedU64(bin.amountX + makerIn, "bin amount")
    : bin.amountX - out.maker;
  const amountY = side.sellsX
    ? bin.amountY - out.maker
    : checkedU64(bin.amountY + makerIn, "bin amount");
  if (out.processed === 0n && out.open === 0n) return { ...bin, amountX, amountY };
  const orders = {
    isAskSide: bin.orders.isAskSide,
    processedRemaining: bin.orders.processedRemaining - out.processed,
    open: bin.orders.open - out.open,
  };
  return { ...bin, amountX, amountY, orders };
}

function balancesAfter(
  state: DlmmState,
  side: SwapSide,
  moved: { readonly grossIn: bigint; readonly grossOut: bigint; readonly protocol: bigint },
) {
  const plus = (balance: bigint | null, amount: bigint) =>
    balance === null ? null : balance + amount;
  const feeInX = side.sellsX && side.isFeeOnInput;
  return {
    reserveX: plus(state.reserveX, side.sellsX ? moved.grossIn : -moved.grossOut),
    reserveY: plus(state.reserveY, side.sellsX ? -moved.grossOut : moved.grossIn),
    protocolFeeX: state.protocolFeeX + (feeInX ? moved.protocol : 0n),
    protocolFeeY: state.protocolFeeY + (feeInX ? 0n : moved.protocol),
  };
}
