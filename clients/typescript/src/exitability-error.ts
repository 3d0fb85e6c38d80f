import type { ErrorCode } from "./api-types.ts";

/**
 * Failures that are not the service's own. `aborted`: the caller's signal; its reason is the cause.
 * `bad_answer`: the answer is not in the service's format. `invalid_options`: no request can be sent
 * with the client's URL, key or token.
 */
export type LocalErrorCode =
  | "aborted"
  | "bad_answer"
  | "credentials_in_browser"
  | "invalid_options"
  | "network_error"
  | "timeout";

type Details = {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly body?: unknown;
  readonly cause?: unknown;
};

/** The only error that the client throws. */
export class ExitabilityError extends Error {
  /** Stable: the service's or the client's. A newer service may have more codes. */
  readonly code: ErrorCode | LocalErrorCode | (string & {});
  /** The HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** Seconds after which the service wants a retry; null if it gave none. */
  readonly retryAfterSeconds: number | null;
  /** The answer's id in the service's log. */
  readonly requestId: string | null;
  /** The answer's body, for the additional fields of some refusals; null if there is none. */
  readonly body: unknown;

  constructor(
    code: ErrorCode | LocalErrorCode | (string & {}),
    message: string,
    { status, retryAfterSeconds, requestId, body, cause }: Details = {},
  ) {
    super(message, { cause });
    this.name = "ExitabilityError";
    this.code = code;
    this.status = status ?? null;
    this.retryAfterSeconds = retryAfterSeconds ?? null;
    this.requestId = requestId ?? null;
    this.body = body ?? null;
  }
}
