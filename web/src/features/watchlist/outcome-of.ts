import type { WatchlistItem } from "#client/openapi.ts";

/** What the sale of an entry's position comes to. */
export type Outcome =
  | { readonly kind: "sold"; readonly paidSol: number; readonly slippagePct: number }
  /** It was measured, and can't be sold whole. */
  | { readonly kind: "no-exit" }
  /** The token can be sold, at other sizes than this one. */
  | { readonly kind: "not-measured" }
  /** A complete search found no pool of the token. */
  | { readonly kind: "no-pool" }
  | { readonly kind: "unknown" };

export function outcomeOf({
  size_sol,
  exitability: { slippage_pct, state },
}: Pick<WatchlistItem, "size_sol"> & {
  readonly exitability: Pick<WatchlistItem["exitability"], "slippage_pct" | "state">;
}): Outcome {
  if (slippage_pct !== null)
    return {
      kind: "sold",
      paidSol: size_sol * (1 - slippage_pct / 100),
      slippagePct: slippage_pct,
    };
  if (state === "ok") return { kind: "no-exit" };
  if (state === "not_found") return { kind: "no-pool" };
  return { kind: state === "bloqueado_tamano_amm" ? "not-measured" : "unknown" };
}
