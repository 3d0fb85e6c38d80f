/** Codes that may reach a caller (contract.md section 7). */
export type PublicCode =
  | "invalid_body"
  | "invalid_email"
  | "missing_event_name"
  | "invalid_event_name"
  | "invalid_mint"
  | "invalid_size"
  | "invalid_profile"
  | "no_changes"
  | "unauthorized"
  | "limit_reached"
  | "forbidden_origin"
  | "not_found"
  | "state_not_stored"
  | "method_not_allowed"
  | "duplicate"
  | "body_too_large"
  | "unsupported_media_type"
  | "rate_limit_exceeded"
  | "server_error"
  | "chain_unavailable"
  | "overloaded"
  | "proof_unavailable";

export type AppErrorDetails = {
  /** For the caller: what was wrong and what to do. No secret, no e-mail, no stack. */
  readonly publicMessage: string;
  /** For the log. No secret and no e-mail either. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The part that raised it logs the outage, once for all who depend on it. */
  readonly isLoggedAtSource?: boolean;
  readonly cause?: unknown;
};

/** The world failed, or a caller requested something impossible. api/plugins/errors.ts maps it to an answer. */
export class AppError extends Error {
  readonly code: PublicCode;
  readonly publicMessage: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly isLoggedAtSource: boolean;

  constructor(code: PublicCode, details: AppErrorDetails) {
    super(details.publicMessage, { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.publicMessage = details.publicMessage;
    this.context = details.context ?? {};
    this.isLoggedAtSource = details.isLoggedAtSource ?? false;
  }
}
