import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { isApiKeyText } from "#src/users/api-key-text.ts";
import type { Caller, UserCaller } from "#src/users/caller.ts";
import { countedAddress } from "#src/users/caller-address.ts";
import type { Users } from "#src/users/users.ts";
import type { Callers } from "./callers.ts";
import { requireSameOrigin } from "./origin.ts";

/** Also without a token, as a program whose variable is empty sends it: such a caller is not anonymous. */
const BEARER = /^bearer(?:\s+|$)/i;
const READING = ["GET", "HEAD", "OPTIONS"];

/** Callers by API key, bearer token, the dashboard's cookie, or their address, in that order. */
export function createCallers(deps: {
  readonly users: Pick<Users, "apiKeys" | "sessions">;
  readonly publicUrl: string;
  readonly clock: WallClock;
}): Callers {
  const { users, publicUrl, clock } = deps;
  const anonymous = (request: FastifyRequest) => ({
    kind: "anonymous" as const,
    address: countedAddress(request.ip),
  });

  async function bySession(request: FastifyRequest): Promise<UserCaller | null> {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined && BEARER.test(authorization)) {
      const token = authorization.replace(BEARER, "");
      const caller = await users.sessions.ofBearer(token, clock.nowMs());
      if (caller === null)
        throw unauthorized(
          isApiKeyText(token)
            ? "This is an API key: send it as the header x-api-key, not as authorization."
            : "This access token is not valid, or no longer valid.",
        );
      return caller;
    }
    return cookie === undefined ? null : users.sessions.ofCookie(cookie, clock.nowMs());
  }

  async function findCaller(request: FastifyRequest): Promise<Caller> {
    const { "x-api-key": apiKey } = request.headers;
    if (apiKey === undefined) return (await bySession(request)) ?? anonymous(request);
    const caller = await users.apiKeys.check(String(apiKey), clock.nowMs());
    if (caller === null)
      throw unauthorized(
        isApiKeyText(String(apiKey))
          ? "This API key is unknown or no longer valid."
          : "This is not an API key of this service: it is mistyped or cut off.",
      );
    return caller;
  }

  /** The caller is looked up once: a request is one use of its key. */
  const found = new WeakMap<FastifyRequest, Promise<Caller>>();

  return {
    anonymous,
    identify(request) {
      const caller = found.get(request) ?? findCaller(request);
      found.set(request, caller);
      return caller;
    },
    async isStillValid(request, { via }) {
      if (via.kind === "api-key")
        return users.apiKeys.isValid(String(request.headers["x-api-key"]), clock.nowMs());
      try {
        return (await bySession(request)) !== null;
      } catch (error) {
        if (isUnauthorized(error)) return false;
        throw error;
      }
    },
    async signedIn(request) {
      const caller = await bySession(request);
      if (caller === null) throw unauthorized("Sign in first: a session is needed here.");
      if (caller.via.kind === "cookie" && !READING.includes(request.method))
        requireSameOrigin(request, publicUrl);
      return caller;
    },
  };
}

/** An onRequest hook that refuses callers without a session, before the body is read. */
export function sessionRequired(callers: Callers): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    await callers.signedIn(request);
  };
}

/** The same, but a page of ours without a session gets 204. An Authorization header is checked as ever; an invalid cookie counts as none. */
export function sessionOptionalOnPages(callers: Callers) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    try {
      await callers.signedIn(request);
      return undefined;
    } catch (error) {
      const { authorization, "sec-fetch-site": site } = request.headers;
      const isPage = site === "same-origin" && authorization === undefined;
      if (!isPage || !isUnauthorized(error)) throw error;
      return reply.code(204).send();
    }
  };
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof AppError && error.code === "unauthorized";
}

function unauthorized(publicMessage: string): AppError {
  return new AppError("unauthorized", { publicMessage });
}
