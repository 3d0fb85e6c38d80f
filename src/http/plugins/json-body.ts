import type { FastifyRequest } from "fastify";
import { AppError, type PublicCode } from "#src/platform/app-error.ts";
import { type EmailAddress, parseEmailAddress } from "#src/users/email-address.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** @throws AppError invalid_body where the body is not a JSON object */
export function bodyObject(request: FastifyRequest): JsonObject {
  const { body } = request;
  if (isJsonObject(body)) return body;
  throw invalid("invalid_body", "The body has to be a JSON object.");
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @throws AppError invalid_email */
export function emailIn(body: JsonObject): EmailAddress {
  const { email } = body;
  const parsed = typeof email === "string" ? parseEmailAddress(email) : null;
  if (parsed !== null) return parsed;
  throw invalid("invalid_email", "email has to be an e-mail address, in plain ASCII.");
}

/**
 * A text that may be left out: null where it is.
 *
 * @throws AppError invalid_body for another type, for more than `longest` characters, and for
 *   control characters, which no such text needs and one of the databases can't keep
 */
export function optionalText(body: JsonObject, name: string, longest: number): string | null {
  if (!Object.hasOwn(body, name)) return null;
  const value = body[name];
  if (typeof value === "string" && isCleanText(value) && [...value].length <= longest) return value;
  throw invalid("invalid_body", `${name} has to be a text of at most ${longest} characters.`);
}

function isCleanText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

export function invalid(code: PublicCode, publicMessage: string): AppError {
  return new AppError(code, { publicMessage });
}
