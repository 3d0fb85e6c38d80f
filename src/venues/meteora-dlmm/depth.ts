import { Q64 } from "#src/units/integer.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { holdsFor, layersOf, type SwapSide } from "./fill-bin.ts";
import { firstBinIndex } from "./quote.ts";
import type { Bin, DlmmState } from "./state.ts";

const BASIS_POINTS = 10_000n;

/** The first bin that would pay something, or null where none is in reach. */
export function firstPayingBin(state: DlmmState, side: SwapSide): Bin | null {
  const step = side.sellsX ? -1 : 1;
  for (let index = firstBinIndex(state, side); ; index += step) {
    const bin = state.bins[index];
    if (bin === undefined) return null;
    if (holdsFor(bin, side)) return bin;
  }
}

/** Output per input at a bin, before fees. */
export function priceOf(bin: Bin, side: SwapSide): Ratio {
  return side.sellsX
    ? { numerator: bin.price, denominator: Q64 }
    : { numerator: Q64, denominator: bin.price };
}

/**
 * What bins in reach pay, before fees, down to `fallBps` below the first paying bin's price; never
 * more than the reserve holds where that is known.
 */
export function reachableOut(state: DlmmState, side: SwapSide, fallBps: number): bigint {
  const first = firstPayingBin(state, side);
  if (first === null) return 0n;
  const keptBps = BASIS_POINTS - BigInt(fallBps);
  const step = side.sellsX ? -1 : 1;
  let total = 0n;
  for (let index = firstBinIndex(state, side); ; index += step) {
    const bin = state.bins[index];
    if (bin === undefined) break;
    const isNear = side.sellsX
      ? bin.price * BASIS_POINTS >= first.price * keptBps
      : first.price * BASIS_POINTS >= bin.price * keptBps;
    if (!isNear) break;
    const { maker, processed, open } = layersOf(bin, side);
    total += maker + processed + open;
  }
  const reserve = side.sellsX ? state.reserveY : state.reserveX;
  return reserve !== null && reserve < total ? reserve : total;
}
