/** Slippage at one size, as a market answers it at one moment. */
export type SlippageReading =
  /** A blocked answer says nothing: neither high nor low. */
  | { readonly kind: "unknown" }
  /** Percent; null: the position can't be sold whole. */
  | { readonly kind: "known"; readonly slippagePct: number | null };

/** Where an entry's slippage was last seen: below its alert, above it; null: not seen yet. */
export type SlippageSide = "low" | "high" | null;

/** The alert turns on where slippage passes this from below, and off below the other, in percent. */
export const SLIPPAGE_ALERT = { onFromPct: 10, offBelowPct: 8 } as const;

/**
 * Judges one reading after the others (method.md section 6). Turns on where the slippage reaches 10 %
 * from below or the exit is gone, once, and again only after it was below 8 %. The first reading
 * of an entry never turns anything on: nothing was passed.
 */
export function applySlippage(
  side: SlippageSide,
  reading: SlippageReading,
): { readonly side: SlippageSide; readonly turnedOn: "slippage" | "no-exit" | null } {
  if (reading.kind === "unknown") return { side, turnedOn: null };
  const { slippagePct } = reading;
  if (slippagePct === null || slippagePct >= SLIPPAGE_ALERT.onFromPct) {
    if (side !== "low") return { side: "high", turnedOn: null };
    return { side: "high", turnedOn: slippagePct === null ? "no-exit" : "slippage" };
  }
  if (slippagePct < SLIPPAGE_ALERT.offBelowPct || side === null)
    return { side: "low", turnedOn: null };
  return { side, turnedOn: null };
}
