import type { Address } from "#src/units/address.ts";
import { checkedU64, U64_MAX } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import { transferFee } from "../shared/token/transfer-fee.ts";
import type { Clock } from "../venue.ts";
import { accumulatorAt, feeRate, referencesAt } from "./fees.ts";
import { fillBin, holdsFor, type SwapSide } from "./fill-bin.ts";
import { binAfter, firstBinIndex, quoteExactIn, sideOf, statusOf } from "./quote.ts";
import type { DlmmState } from "./state.ts";

/**
 * Quotes ascending amounts of one token, each from the same state, in one walk: a bin that an order
 * drains takes and pays the same for every larger one. Equal to `quoteExactIn` of each; null where
 * the program would refuse.
 */
export function quoteAscendingReference(
  state: DlmmState,
  inputMint: Address,
  amountsIn: readonly bigint[],
  clock: Clock,
): readonly (bigint | null)[] {
  const side = sideOf(state, inputMint);
  if (side === null || statusOf(state, clock) !== "open") return amountsIn.map(() => null);
  try {
    return walkOnce(state, side, amountsIn, clock);
  } catch (error) {
    if (!(error instanceof MathError)) throw error;
    // Some order overflows: one at a time, so that only those are refused that do.
    return amountsIn.map((amountIn) => {
      const quote = quoteExactIn(state, { inputMint, amountIn, clock });
      return quote.kind === "filled" ? quote.amountOut : null;
    });
  }
}

function walkOnce(
  state: DlmmState,
  side: SwapSide,
  amountsIn: readonly bigint[],
  clock: Clock,
): readonly (bigint | null)[] {
  const { parameters, activeId, bins } = state;
  const { unixTimestamp, epoch } = clock;
  const references = referencesAt(state.volatility, parameters, { activeId, unixTimestamp });
  const [feesIn, feesOut, reserveOut] = side.sellsX
    ? [state.transferFeeX, state.transferFeeY, state.reserveY]
    : [state.transferFeeY, state.transferFeeX, state.reserveX];
  const netOf = (amountIn: bigint) => amountIn - transferFee(feesIn, amountIn, epoch);
  const paidFor = (gross: bigint): bigint | null => {
    if (gross === 0n || (reserveOut !== null && gross > reserveOut)) return null;
    return gross - transferFee(feesOut, gross, epoch);
  };

  const amountsOut: (bigint | null)[] = amountsIn.map(() => null);
  let order = 0;
  while (order < amountsIn.length && netOf(amountsIn[order] ?? 0n) <= 0n) order++;
  let spent = 0n;
  let paid = 0n;
  const step = side.sellsX ? -1 : 1;
  for (let index = firstBinIndex(state, side); order < amountsIn.length; index += step) {
    const bin = bins[index];
    if (bin === undefined) break;
    if (!holdsFor(bin, side)) continue;
    const rate = feeRate(parameters, accumulatorAt(references, parameters, bin.id));
    for (; order < amountsIn.length; order++) {
      const amountIn = amountsIn[order] ?? 0n;
      if (amountIn > U64_MAX) return amountsOut;
      const fill = fillBin(bin, side, netOf(amountIn) - spent, rate);
      binAfter(bin, side, fill);
      const gross = checkedU64(paid + fill.amountOut, "amount out");
      if (fill.isDrained) {
        spent += fill.amountIn;
        paid = gross;
        break;
      }
      amountsOut[order] = paidFor(gross);
    }
  }
  return amountsOut;
}
