import { ApiError } from "./api.ts";
import type { Text } from "./text/es.ts";

/** What went wrong, in the reader's language where we have it, else in the service's own words. */
export function explain(error: unknown, text: Text): string {
  if (!(error instanceof ApiError)) return text.common.unreachable;
  return (
    text.errors[error.code] ??
    (error.code === "unreachable" ? text.common.unreachable : error.message)
  );
}
