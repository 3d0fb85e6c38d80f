import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Quotas, Standing } from "#src/users/quotas.ts";
import { rateLimitHeaders } from "#src/users/rate-limit-headers.ts";
import type { Admission, Refusal } from "../admission.ts";
import { OPERATIONS } from "../operations/all.ts";
import type { Callers } from "./callers.ts";

/** Whoever watches over the process has to be answered whatever happens. */
const ALWAYS_ANSWERED = ["/healthz", "/readyz"];
/** Route patterns whose every answer says how the caller's queries stand. */
const METERED = new Set(
  OPERATIONS.filter(({ isMetered }) => isMetered === true).map(({ path }) =>
    path.replaceAll(/\{(\w+)\}/g, ":$1"),
  ),
);

export const REFUSAL_MESSAGES: Readonly<Record<Refusal, string>> = {
  stopping: "This process is being stopped; ask again in a moment.",
  overloaded: "There is more to answer than can be answered; ask again in a moment.",
};

export type RefusingDeps = {
  readonly admission: Admission;
  readonly quotas: Pick<Quotas, "peek">;
  readonly callers: Callers;
  readonly nowMs: NowMs;
};

/** Refuses what is not taken on before anything is done for it: 503, and when to come back. */
export function registerRefusing(app: FastifyInstance, deps: RefusingDeps): void {
  const { admission, quotas, callers, nowMs } = deps;

  /**
   * How the caller stands; one whose key or session is wrong, as the address alone does. Null where the
   * database does not say.
   */
  async function standing(request: FastifyRequest): Promise<Standing | null> {
    try {
      const caller = await callers.identify(request).catch(() => callers.anonymous(request));
      return await quotas.peek(caller, nowMs());
    } catch {
      return null;
    }
  }

  app.addHook("onRequest", async (request, reply) => {
    const { url = "" } = request.routeOptions;
    if (ALWAYS_ANSWERED.includes(url)) return;
    const refusal = admission.refusalOf("ordinary", performance.now());
    if (refusal === null) return;
    const known = METERED.has(url) ? await standing(request) : null;
    if (known !== null) reply.headers(rateLimitHeaders(known, nowMs()));
    throw new AppError("overloaded", {
      publicMessage: REFUSAL_MESSAGES[refusal],
      retryable: true,
    });
  });
}
