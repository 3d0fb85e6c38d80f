import type { ErrorCode } from "./api-types.ts";

/**
 * What goes wrong on this side of the service. `aborted`: the caller's own signal; its reason is the
 * cause. `bad_answer`: what came is nothing that the service says.
 */
export type LocalErrorCode =
  | "aborted"
  | "bad_answer"
  | "credentials_in_browser"
  | "network_error"
  | "timeout";

type Details = {
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly body?: unknown;
  readonly cause?: unknown;
};

/** Everything that the client throws. */
export class ExitabilityError extends Error {
  /** Stable: the service's own, or one of ours. A newer service may have codes that are not listed. */
  readonly code: ErrorCode | LocalErrorCode | (string & {});
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** Seconds until it is worth asking again, as the service has it; null where it does not say. */
  readonly retryAfterSeconds: number | null;
  /** What the answer is called in the service's log. */
  readonly requestId: string | null;
  /** The answer's whole body, for the fields that some refusals carry; null without one. */
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
