import type { FastifyRequest } from "fastify";
import type { AnonymousCaller, Caller, UserCaller } from "#src/users/caller.ts";

/**
 * Identifies the caller: the user of an API key or session, else the address.
 *
 * Throws AppError("unauthorized") for an API key that is unknown, malformed or revoked: never a
 * silent fallback to anonymous.
 */
export type Callers = {
  readonly identify: (request: FastifyRequest) => Promise<Caller>;
  /**
   * Whether the key or session that the caller of an earlier request was identified by is still valid: a request
   * may have both. No use of the key. Throws if that can't be read.
   */
  readonly isStillValid: (request: FastifyRequest, caller: UserCaller) => Promise<boolean>;
  /** The anonymous caller of the request's address. */
  readonly anonymous: (request: FastifyRequest) => AnonymousCaller;
  /**
   * The signed-in user, by the dashboard's cookie or a bearer token; API keys are not accepted.
   * Throws AppError: unauthorized, and forbidden_origin for a write with the cookie from elsewhere.
   */
  readonly signedIn: (request: FastifyRequest) => Promise<UserCaller>;
};
