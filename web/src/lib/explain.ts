import { ApiError } from "./api.ts";
import type { Text } from "./text/es.ts";

/** What went wrong, in the reader's language where we have it, else in the service's own words. */
export function explain(error: unknown, text: Text): string {
  if (!(error instanceof ApiError)) return text.common.unreachable;
  const { used, limit, message } = error.body;
  if (error.code === "rate_limit_exceeded" && /today/.test(String(message)))
    return text.token.limitDay(String(used), String(limit));
  if (error.code === "rate_limit_exceeded" && /this minute/.test(String(message)))
    return text.token.limitMinute(String(used), String(limit));
  return (
    text.errors[error.code] ??
    (error.code === "unreachable" ? text.common.unreachable : error.message)
  );
}
