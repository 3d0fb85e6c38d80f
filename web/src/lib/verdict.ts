/** How a slippage feels to one who has to leave: the contract's own line is 10 %. */
export function verdictOf(slippagePct: number | null): "good" | "warn" | "bad" {
  if (slippagePct === null || slippagePct >= 30) return "bad";
  return slippagePct < 10 ? "good" : "warn";
}
