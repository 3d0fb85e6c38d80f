import Type, { type TSchema } from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import type { Response } from "./operation.ts";
import { itemsOf } from "./values.ts";

/** Parts that many definitions of operations share. */

export const BODY_ERRORS = ["invalid_body", "body_too_large", "unsupported_media_type"] as const;
/** Errors of operations without credentials. */
export const PUBLIC_ERRORS = [...BODY_ERRORS, "invalid_email", "rate_limit_exceeded"] as const;
/** Errors of writes with a session. */
export const WRITE_ERRORS = ["unauthorized", "forbidden_origin", ...BODY_ERRORS] as const;

/** `{ status, ... }`, the answer of most writes. */
export function statusResponse(
  status: string,
  more: Readonly<Record<string, TSchema>> = {},
  example: object = {},
): Response {
  const schema = Type.Object({ status: Type.Literal(status), ...more });
  return { description: "Done", schema, example: { status, ...example } };
}

/** `{ items: [...] }` with everything there is. */
export function listResponse(item: TSchema, example: unknown): Response {
  return { description: "All of them", schema: itemsOf(item), example: { items: [example] } };
}

/** The account was deleted during the request. */
export function accountGone(): AppError {
  return new AppError("unauthorized", { publicMessage: "This account no longer exists." });
}
