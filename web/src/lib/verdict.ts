/** Up to here a loss is about what fees take. */
const GOOD_PCT = 3;
/** From here on an exit is bad, as one that can't be made. */
const BAD_PCT = 30;

/** How a slippage feels to one who has to leave. */
export function verdictOf(slippagePct: number | null): "good" | "warn" | "bad" {
  if (slippagePct === null || slippagePct >= BAD_PCT) return "bad";
  return slippagePct < GOOD_PCT ? "good" : "warn";
}
