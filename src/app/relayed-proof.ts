import { AppError } from "#src/platform/app-error.ts";
import type { ExitProof } from "#src/proof/prove-exit.ts";
import type { ProofOf } from "./open-tracking.ts";

/** A proof on its way from the tracker's process: an error would lose its code. */
type RelayedProof = { readonly proof: ExitProof } | { readonly unavailable: string };

/** The tracker's side. */
export function relayedProof(
  proofOf: ProofOf,
): (...asked: Parameters<ProofOf>) => Promise<RelayedProof> {
  return (mint, sale) =>
    proofOf(mint, sale).then(
      (proof) => ({ proof }),
      (cause: unknown) => {
        if (!(cause instanceof AppError) || cause.code !== "proof_unavailable") throw cause;
        return { unavailable: cause.publicMessage };
      },
    );
}

/** The API's side. @throws AppError proof_unavailable */
export function proofFrom(answer: unknown): ExitProof {
  const relayed = answer as RelayedProof;
  if ("proof" in relayed) return relayed.proof;
  throw new AppError("proof_unavailable", { publicMessage: relayed.unavailable });
}
