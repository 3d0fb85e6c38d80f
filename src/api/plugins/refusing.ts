import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { QuotaStatus, Quotas } from "#src/users/quotas.ts";
import type { Admission, Refusal } from "../admission.ts";
import { routePattern } from "../operation.ts";
import { OPERATIONS } from "../operations.ts";
import type { Callers } from "./callers.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

/** Routes that orchestrators need under any load: never refused, and not counted. */
export const ALWAYS_ANSWERED = ["/healthz", "/readyz"];
/** Route patterns whose every answer carries the rate limit headers. */
const METERED = new Set(OPERATIONS.filter(({ meter }) => meter !== undefined).map(routePattern));

const MESSAGES: Readonly<Record<Refusal, string>> = {
  stopping: "This process is stopping; try again in a moment.",
  overloaded: "The service is overloaded; try again in a moment.",
};

/** The 503 of a request that is refused before any work is done. */
export function refusalError(refusal: Refusal): AppError {
  return new AppError("overloaded", { publicMessage: MESSAGES[refusal] });
}

/** Whether every answer of this route carries the rate limit headers. */
export function isMetered(pattern: string): boolean {
  return METERED.has(pattern);
}

export type StandingDeps = {
  readonly quotas: Pick<Quotas, "peek">;
  readonly callers: Callers;
  readonly clock: WallClock;
};

/**
 * Adds the rate limit headers to an answer that counts no use, if the answers of its route carry them: those
 * of the caller, with a wrong key or session those of the address, and none if the database fails.
 */
export type AddStanding = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export function createStanding({ quotas, callers, clock }: StandingDeps): AddStanding {
  async function standing(request: FastifyRequest): Promise<QuotaStatus | null> {
    try {
      const caller = await callers.identify(request).catch(() => callers.anonymous(request));
      return await quotas.peek(caller, clock.nowMs());
    } catch {
      return null;
    }
  }

  return async (request, reply) => {
    const { url = "" } = request.routeOptions;
    const known = METERED.has(url) ? await standing(request) : null;
    if (known !== null) reply.headers(rateLimitHeaders(known, clock.nowMs()));
  };
}

/** Refuses requests with 503 before any work when the process is overloaded or stopping. */
export function registerRefusing(
  app: FastifyInstance,
  { admission, addStanding }: { readonly admission: Admission; readonly addStanding: AddStanding },
): void {
  app.addHook("onRequest", async (request, reply) => {
    const { url = "" } = request.routeOptions;
    if (ALWAYS_ANSWERED.includes(url)) return;
    const refusal = admission.refusalOf("ordinary", performance.now());
    if (refusal === null) return;
    await addStanding(request, reply);
    throw refusalError(refusal);
  });
}
