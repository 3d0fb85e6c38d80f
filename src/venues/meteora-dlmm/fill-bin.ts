import { checkedU64, divCeil, Q64 } from "#src/units/integer.ts";
import { feeIncluded, feeOnTop } from "./fees.ts";
import type { Bin } from "./state.ts";

/** How a swap reads a bin; constant over one swap. */
export type SwapSide = {
  /** X is sold for Y, walking down the ids; else Y for X, walking up. */
  readonly sellsX: boolean;
  readonly isFeeOnInput: boolean;
  readonly countsOrders: boolean;
};

/** What a bin pays out, layer by layer: market makers, the order batch in work, newer orders. */
export type BinLayers = {
  readonly maker: bigint;
  readonly processed: bigint;
  readonly open: bigint;
};

export type BinFill = {
  /** What leaves the trader's input here, fee included. */
  readonly amountIn: bigint;
  /** What the trader gets here, fee taken. */
  readonly amountOut: bigint;
  readonly fee: bigint;
  /** Net input by layer, and output by layer before any fee. */
  readonly makerIn: bigint;
  readonly totalIn: bigint;
  readonly out: BinLayers;
};

/** What the bin holds for this side. */
export function layersOf(bin: Bin, side: SwapSide): BinLayers {
  const maker = side.sellsX ? bin.amountY : bin.amountX;
  if (!side.countsOrders || bin.orders.isAskSide === side.sellsX) {
    return { maker, processed: 0n, open: 0n };
  }
  return { maker, processed: bin.orders.processedRemaining, open: bin.orders.open };
}

/** Whether a swap of this side stops here at all. */
export function holdsFor(bin: Bin, side: SwapSide): boolean {
  const { maker, processed, open } = layersOf(bin, side);
  return maker > 0n || processed > 0n || open > 0n;
}

/**
 * Fills as much of `left` as the bin takes, in the program's order: fee, market makers, the batch in
 * work, newer orders. Amounts are base units; prices Q64.64; every rounding favours the pool.
 *
 * @param left input before the pool's fee, after the input mint's transfer fee
 * @param rate fee rate over 10^9 at this bin
 * @throws MathError where the program's u64 overflows
 * @see commons/src/quote.rs, swap_exact_in_quote_at_bin, in the source named in this folder's README
 */
export function fillBin(bin: Bin, side: SwapSide, left: bigint, rate: bigint): BinFill {
  const available = layersOf(bin, side);
  let fee = side.isFeeOnInput ? feeIncluded(left, rate) : 0n;
  const net = left - fee;

  const maker = fillLayer(net, available.maker, bin.price, side.sellsX);
  let rest = net - maker.in;
  const processed = fillLayer(rest, available.processed, bin.price, side.sellsX);
  rest -= processed.in;
  const open = fillLayer(rest, available.open, bin.price, side.sellsX);
  rest -= open.in;

  const totalIn = net - rest;
  let amountIn = left;
  if (rest > 0n) {
    if (side.isFeeOnInput) fee = feeOnTop(totalIn, rate);
    amountIn = checkedU64(side.isFeeOnInput ? totalIn + fee : totalIn, "amount in");
  }
  let amountOut = checkedU64(maker.out + processed.out + open.out, "amount out");
  if (!side.isFeeOnInput) {
    fee = feeIncluded(amountOut, rate);
    amountOut -= fee;
  }
  return {
    amountIn,
    amountOut,
    fee,
    makerIn: maker.in,
    totalIn,
    out: { maker: maker.out, processed: processed.out, open: open.out },
  };
}

function fillLayer(amount: bigint, available: bigint, price: bigint, sellsX: boolean) {
  if (available === 0n || amount === 0n) return { in: 0n, out: 0n };
  const need = checkedU64(
    sellsX ? divCeil(available << 64n, price) : divCeil(available * price, Q64),
    "amount in of a layer",
  );
  if (amount >= need) return { in: need, out: available };
  const out = sellsX ? (amount * price) >> 64n : (amount << 64n) / price;
  return { in: amount, out };
}
