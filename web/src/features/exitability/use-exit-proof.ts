import { useMutation } from "@tanstack/react-query";
import { api } from "../../lib/api.ts";
import { exitPath, type Sale } from "./token-search.ts";

type Outcome = { readonly amount_out: string | null; readonly refusal: string | null };

/** A sale of the exit, as the model says and as the program executed it. */
export type ProvedSale = {
  readonly program: string;
  readonly pools: readonly string[];
  readonly output_mint: string;
  readonly amount_in: string;
  readonly program_id: string | null;
  readonly program_hash: string | null;
  readonly deployed_slot: number | null;
  readonly modelled: Outcome;
  readonly executed: Outcome | null;
  readonly is_equal: boolean | null;
  readonly unproved: string | null;
};

export type ExitProof = {
  readonly is_equal: boolean | null;
  readonly sales: readonly ProvedSale[];
};

/** Executes the sale when it is asked to: each time counts as a query. */
export function useExitProof(mint: string, sale: Sale, solUsd: number | null) {
  const path = exitPath(mint, sale, solUsd)?.replace("/exitability/at?", "/exitability/proof?");
  return useMutation({ mutationFn: () => api<ExitProof>(path ?? "") });
}
