import { AppError } from "#src/platform/app-error.ts";
import { isRateLimit, RpcFailure } from "./rpc-failure.ts";

export const INVALID_PARAMS = -32602;

/** Whether the node does not serve the method at all, or not with these parameters. */
export function isNotServed(error: unknown): boolean {
  if (!(error instanceof RpcFailure) || isRateLimit(error)) return false;
  const { failure } = error;
  if (failure.kind === "rpc-error") return true;
  return failure.kind === "http" && failure.status >= 400 && failure.status < 500;
}

export function isInvalidParams({ failure }: RpcFailure): boolean {
  return failure.kind === "rpc-error" && failure.code === INVALID_PARAMS;
}

/**
 * A node that can't be reached fails the caller; one that refuses fails this search alone.
 *
 * @throws AppError("chain_unavailable") if the node can't be reached; errors other than RpcFailure unchanged
 */
export function asRefused(error: unknown): { readonly kind: "refused"; readonly reason: string } {
  if (error instanceof RpcFailure && error.failure.kind !== "unreachable") {
    return { kind: "refused", reason: error.message };
  }
  return asUnavailable(error);
}

/** @throws AppError("chain_unavailable") for an RpcFailure; other errors unchanged */
export function asUnavailable(error: unknown): never {
  if (!(error instanceof RpcFailure)) throw error;
  throw new AppError("chain_unavailable", {
    publicMessage: "Chain data is temporarily unavailable; try again in a few seconds.",
    context: { reason: error.message },
    isLoggedAtSource: true,
    cause: error,
  });
}
