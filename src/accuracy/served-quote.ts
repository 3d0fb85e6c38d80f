import type { Assessed } from "#src/track/following/live-state.ts";
import { slippagesOfSizes } from "#src/track/history/sample.ts";
import type { Address } from "#src/units/address.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { isReplayed, type JudgedSwap } from "./judged-swap.ts";
import type { ExecutedSale, ServedQuote } from "./quoted-executed.ts";

/** The quote in a served answer, to compare later sales with; null if it has no slippage for any size. */
export function servedQuote({ assessment, atMs }: Assessed): ServedQuote | null {
  const { measurement, mint, slot } = assessment;
  if (measurement === null || measurement.midPrice === null) return null;
  const { numerator, denominator } = measurement.midPrice;
  const ladder = slippagesOfSizes(measurement.retail.slippagesPct);
  if (ladder.length === 0) return null;
  return {
    mint,
    atMs,
    slot,
    solPerBaseUnit: ratioToNumber(numerator, denominator * LAMPORTS_PER_SOL),
    ladder,
  };
}

/** The swap as a sale of the token for SOL; null if it is not one. */
export function saleOf(swap: JudgedSwap, mint: Address): ExecutedSale | null {
  if (!isReplayed(swap)) return null;
  const { inputMint, outputMint, amountIn, executed } = swap.outcome;
  if (inputMint !== mint || outputMint !== WSOL) return null;
  return {
    mint,
    atMs: swap.atMs,
    slot: swap.slot,
    baseUnits: ratioToNumber(amountIn, 1n),
    paidSol: ratioToNumber(executed, LAMPORTS_PER_SOL),
  };
}
