import type { ExitAt, Token } from "#client/openapi.ts";

/** Why a sale loses: percent of its worth, together its slippage. Null: not known. */
export type LossParts = {
  readonly impactPct: number;
  readonly taxPct: number;
  readonly poolFeesPct: number;
};

/**
 * Splits a sale's slippage into price impact, the token's own tax, and pool fees, which are the rest:
 * those of every hop. The price impact is given as a share of what the tax leaves. Null while it is not
 * known what the price impact or the tax is.
 */
export function lossParts(
  exit: Pick<ExitAt, "slippage_pct" | "price_impact_pct" | "tokens_sold">,
  facts: Pick<Token, "transfer_fee" | "decimals"> | undefined,
): LossParts | null {
  const { slippage_pct: slippage, price_impact_pct: impact } = exit;
  const tax = taxOf(exit.tokens_sold, facts);
  if (slippage === null || impact === null || tax === null) return null;
  const taxPct = Math.min(tax, Math.max(0, slippage));
  const afterTax = Math.max(0, impact) * (1 - tax / 100);
  const impactPct = Math.min(afterTax, Math.max(0, slippage - taxPct));
  return { impactPct, taxPct, poolFeesPct: Math.max(0, slippage - impactPct - taxPct) };
}

/** A pool's own fee: a small sale's whole fee less the token's tax, which is taken before the pool. */
export function poolFeePct(
  wholePct: number,
  facts: Pick<Token, "transfer_fee"> | undefined,
): number {
  const taxPct = facts?.transfer_fee.fee_pct ?? 0;
  if (taxPct >= 100) return wholePct;
  return Math.max(0, 100 - (100 - wholePct) / (1 - taxPct / 100));
}

/** The share that the token takes of the amount sold: bounded by its maximum for one transfer. */
function taxOf(
  tokensSold: number | null,
  facts: Pick<Token, "transfer_fee" | "decimals"> | undefined,
): number | null {
  if (facts === undefined || facts.transfer_fee.status === "unknown") return null;
  const { fee_pct: feePct, max_fee_units: maximum } = facts.transfer_fee;
  if (facts.transfer_fee.status === "none" || feePct === null) return 0;
  if (tokensSold === null || maximum === null || facts.decimals === null) return feePct;
  const mostTokens = Number(maximum) / 10 ** facts.decimals;
  return Math.min(feePct, (100 * mostTokens) / tokensSold);
}
