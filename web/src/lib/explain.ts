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
  const translated = text.errors[error.code];
  // Where the dashboard works is in the service's sentence alone.
  const address =
    error.code === "forbidden_origin" ? /https?:\S+/.exec(String(message))?.[0] : undefined;
  if (translated !== undefined && address !== undefined) return `${translated} ${address}`;
  return translated ?? (error.code === "unreachable" ? text.common.unreachable : error.message);
}
