import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { ApiKeys } from "#src/users/api-keys.ts";
import { countedAddress, isLoopback } from "#src/users/caller-address.ts";
import { FixedWindows, secondsUntil, type Window } from "#src/users/fixed-windows.ts";
import { rateLimitBody } from "../rate-limit-body.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import { ALWAYS_ANSWERED, isMetered } from "./refusing.ts";

/** All requests of one caller, before any work: twice the fair use of the highest tier. */
const ADDRESS_RULE = { limit: 1_200, lengthMs: 60_000 } as const;

export type AddressLimitDeps = {
  readonly apiKeys: Pick<ApiKeys, "cached">;
  readonly clock: WallClock;
};

/**
 * Refuses a caller's requests beyond the general limit with 429 before any work. The caller is the
 * user of a key that was checked before, else the address. Loopback addresses are not limited: they
 * are this machine, or all clients of a proxy that TRUST_PROXY does not count.
 */
export function registerAddressLimit(app: FastifyInstance, deps: AddressLimitDeps): void {
  const { apiKeys, clock } = deps;
  const windows = new FixedWindows();

  function subjectOf(request: FastifyRequest, now: number): string | null {
    const { "x-api-key": apiKey } = request.headers;
    const known = typeof apiKey === "string" ? apiKeys.cached(apiKey, now) : null;
    if (known !== null) return `user:${known.caller.userId}`;
    return isLoopback(request.ip) ? null : countedAddress(request.ip);
  }

  app.addHook("onRequest", async (request, reply) => {
    const { url = "" } = request.routeOptions;
    if (ALWAYS_ANSWERED.includes(url)) return;
    const now = clock.nowMs();
    const subject = subjectOf(request, now);
    if (subject === null) return;
    const window = windows.take(subject, ADDRESS_RULE, now);
    if (window.allowed) return;
    reply.header("retry-after", secondsUntil(window.resetAtMs, now));
    if (!isMetered(url))
      throw new AppError("rate_limit_exceeded", {
        publicMessage: `One caller may send at most ${ADDRESS_RULE.limit} requests a minute.`,
      });
    const status = statusOf(window);
    await reply
      .code(429)
      .headers(rateLimitHeaders(status, now))
      .send(rateLimitBody(status, !subject.startsWith("user:")));
  });
}

function statusOf({ used, resetAtMs }: Window) {
  const { limit, lengthMs } = ADDRESS_RULE;
  const windowSeconds = lengthMs / 1000;
  return { policy: "minute", limit, used, remaining: 0, windowSeconds, resetAtMs } as const;
}
