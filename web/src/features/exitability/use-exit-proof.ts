import { useMutation } from "@tanstack/react-query";
import type { ExitProof } from "#client/openapi.ts";
import { api } from "../../lib/api.ts";
import { exitPath, type Sale } from "./token-search.ts";

/** A sale of the exit, as the model says and as the program executed it. */
export type ProvedSale = ExitProof["sales"][number];

/** Executes the sale when it is asked to: each time counts as a query. */
export function useExitProof(mint: string, sale: Sale, solUsd: number | null) {
  const path = exitPath(mint, sale, solUsd)?.replace("/exitability/at?", "/exitability/proof?");
  return useMutation({ mutationFn: () => api<ExitProof>(path ?? "") });
}
