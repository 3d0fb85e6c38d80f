import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import { MS_PER_MINUTE, type WallClock } from "#src/platform/clock.ts";
import { countedAddress } from "#src/users/caller-address.ts";
import type { Windows } from "#src/users/fixed-windows.ts";

export type Throttle = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** An onRequest hook: limits the requests of each address per minute, before the body is read. */
export function createThrottle(deps: {
  /** The requests that share this limit. */
  readonly name: string;
  readonly limit: number;
  /** Shared with other processes if there are several. */
  readonly windows: Windows;
  readonly clock: WallClock;
}): Throttle {
  const { name, windows } = deps;
  const rule = { limit: deps.limit, lengthMs: MS_PER_MINUTE };
  return async (request, reply) => {
    const nowMs = deps.clock.nowMs();
    const subject = `throttle:${name}/${countedAddress(request.ip)}`;
    const { allowed, resetAtMs } = windows.take(subject, rule, nowMs);
    if (allowed) return;
    reply.header("retry-after", Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)));
    throw new AppError("rate_limit_exceeded", {
      publicMessage: `One address may send at most ${rule.limit} of these requests a minute.`,
    });
  };
}
