/** Slippage at one size of a market at one moment. */
export type SlippageReading =
  /** The market is blocked: the slippage is neither high nor low. */
  | { readonly kind: "unknown" }
  | {
      readonly kind: "known";
      /** Percent; null: the whole position cannot be sold. */
      readonly slippagePct: number | null;
      /** What the position is and pays; null or absent where it cannot be sold whole. */
      readonly position?: SoldPosition | null;
    };

export type SoldPosition = { readonly baseUnits: bigint; readonly paidLamports: bigint };

/** The last known side of an entry's threshold; null: no reading yet. */
export type SlippageSide = "low" | "high" | null;

/** Percent: the alert turns on when slippage reaches `onFromPct` and off when it falls below `offBelowPct`. */
export const SLIPPAGE_ALERT = { onFromPct: 10, offBelowPct: 8 } as const;

/**
 * Applies one reading (method.md section 6). The alert turns on when the slippage reaches 10 % from
 * below or the exit is gone, and again only after it was below 8 %. The first reading of an entry
 * never turns it on, because nothing was crossed.
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
