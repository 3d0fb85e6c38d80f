import type { FastifyRequest } from "fastify";
import type { AnonymousCaller, Caller, UserCaller } from "#src/users/caller.ts";

/**
 * Says who is calling: an account by its API key or session, else the address.
 *
 * Throws AppError("unauthorized") for an API key that is unknown, malformed or revoked: never a
 * silent fall to anonymous.
 */
export type Callers = {
  readonly identify: (request: FastifyRequest) => Promise<Caller>;
  /** The caller that the address alone makes. */
  readonly anonymous: (request: FastifyRequest) => AnonymousCaller;
  /**
   * The user who is signed in, by the dashboard's cookie or a bearer token; API keys don't count.
   * Throws AppError: unauthorized, and forbidden_origin for a write with the cookie from elsewhere.
   */
  readonly signedIn: (request: FastifyRequest) => Promise<UserCaller>;
};
