import type { ExitAt, TokenFacts } from "./use-token-data.ts";

/** Why a sale loses: percent of its worth, together its slippage. Null: not known. */
export type LossParts = {
  readonly impactPct: number;
  readonly taxPct: number;
  readonly poolFeesPct: number;
};

/**
 * Splits a sale's slippage into price impact, the token's own tax, and pool fees, which are the rest:
 * those of every hop. Null while it is not known what the price impact or the tax is.
 */
export function lossParts(
  exit: Pick<ExitAt, "slippage_pct" | "price_impact_pct" | "tokens_sold">,
  facts: Pick<TokenFacts, "transfer_fee" | "decimals"> | undefined,
): LossParts | null {
  const { slippage_pct: slippage, price_impact_pct: impact } = exit;
  const tax = taxOf(exit.tokens_sold, facts);
  if (slippage === null || impact === null || tax === null) return null;
  const impactPct = Math.min(Math.max(0, impact), Math.max(0, slippage));
  const taxPct = Math.min(tax, Math.max(0, slippage - impactPct));
  return { impactPct, taxPct, poolFeesPct: Math.max(0, slippage - impactPct - taxPct) };
}

/** The share that the token takes of the amount sold: bounded by its maximum for one transfer. */
function taxOf(
  tokensSold: number | null,
  facts: Pick<TokenFacts, "transfer_fee" | "decimals"> | undefined,
): number | null {
  if (facts === undefined || facts.transfer_fee.status === "unknown") return null;
  const { fee_pct: feePct, max_fee_units: maximum } = facts.transfer_fee;
  if (facts.transfer_fee.status === "none" || feePct === null) return 0;
  if (tokensSold === null || maximum === null || facts.decimals === null) return feePct;
  const mostTokens = Number(maximum) / 10 ** facts.decimals;
  return Math.min(feePct, (100 * mostTokens) / tokensSold);
}
