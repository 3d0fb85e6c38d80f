import { ApiError } from "../../lib/api.ts";

const CODES = ["rate_limit_exceeded", "not_found", "chain_unavailable"];

/** An answer that is not about the sale, but about the token, the caller or the service. */
export function refusalOf(error: unknown): ApiError | null {
  return error instanceof ApiError && CODES.includes(error.code) ? error : null;
}

/**
 * Whether a refusal takes the place of the page. A token that is not found has no figures; the other
 * refusals end, and what was answered before stays until then, marked as old.
 */
export function isWholePage(refusal: ApiError, isAnswered: boolean): boolean {
  return refusal.code === "not_found" || !isAnswered;
}

/** A limit that is over within a minute: no other plan is needed for that. */
export function isLimitOfMinute(refusal: ApiError): boolean {
  return refusal.code === "rate_limit_exceeded" && !/today/.test(refusal.message);
}

/** A refusal holds for every sale until its time is over, also while another sale is asked for. */
export function holds(refusal: ApiError, nowMs: number): boolean {
  return isLimitOfMinute(refusal) && nowMs < (refusal.retryAtMs ?? 0);
}
