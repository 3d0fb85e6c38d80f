import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import { countedAddress } from "#src/users/caller-address.ts";
import { FixedWindows } from "#src/users/fixed-windows.ts";

const MINUTE_MS = 60_000;

/** How often a minute one address may ask for what needs no credentials, by kind of request. */
const PER_MINUTE = { register: 30, waitlist: 30, event: 120, code: 30, signIn: 30 } as const;

export type Throttle = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** An onRequest hook that lets each address through so often a minute, before a body is read. */
export function createThrottle(deps: {
  readonly kind: keyof typeof PER_MINUTE;
  readonly nowMs: NowMs;
}): Throttle {
  const windows = new FixedWindows();
  const rule = { limit: PER_MINUTE[deps.kind], lengthMs: MINUTE_MS };
  return async (request, reply) => {
    const nowMs = deps.nowMs();
    const { allowed, resetAtMs } = windows.take(countedAddress(request.ip), rule, nowMs);
    if (allowed) return;
    reply.header("retry-after", Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000)));
    throw new AppError("rate_limit_exceeded", {
      publicMessage: `At most ${rule.limit} of these requests a minute come from one address.`,
    });
  };
}
