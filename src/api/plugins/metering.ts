import type { FastifyReply, FastifyRequest } from "fastify";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Caller } from "#src/users/caller.ts";
import type { PageTokens } from "#src/users/page-tokens.ts";
import type { Page, QuotaStatus, Quotas, Spend } from "#src/users/quotas.ts";
import type { Answer } from "../operation.ts";
import { rateLimitBody } from "../rate-limit-body.ts";
import type { Callers } from "./callers.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

export type MeteringDeps = {
  readonly quotas: Quotas;
  readonly callers: Callers;
  readonly pageTokens: PageTokens;
  readonly clock: WallClock;
};

/** The checked question; checking throws AppError. */
export type Prepared =
  /** Known without any work, and not counted. */
  | { readonly kind: "known"; readonly answer: Answer }
  | {
      readonly kind: "work";
      /** The token whose dashboard page the request may belong to. */
      readonly mint: Address | null;
      readonly work: (caller: Caller) => Promise<Answer>;
    };

export type Metering = (
  request: FastifyRequest,
  reply: FastifyReply,
  prepare: () => Prepared,
) => Promise<FastifyReply>;

/**
 * Counts queries of the measuring endpoints (contract.md sections 2 and 3): 401 first, then what is
 * wrong with the question, then the limit, then the work. A query that fails is refunded. Every answer
 * has the rate limit headers.
 */
export function createMetering(deps: MeteringDeps): Metering {
  const { quotas, callers, clock } = deps;
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { readonly caller: Caller; readonly prepared: Prepared },
  ): Promise<FastifyReply> {
    const { caller, prepared } = asked;
    if (prepared.kind === "known") {
      withLimits(reply, await quotas.peek(caller, clock.nowMs()), clock.nowMs());
      return reply.code(prepared.answer.status ?? 200).send(prepared.answer.body);
    }
    const page = pageOf(deps, { request, reply, caller, mint: prepared.mint });
    const spend = await quotas.spend(caller, clock.nowMs(), page);
    withLimits(reply, spend, clock.nowMs());
    if (!spend.allowed) return refuse(reply, caller, spend);
    try {
      const { status = 200, body, headers = {} } = await prepared.work(caller);
      return reply.code(status).headers(headers).send(body);
    } catch (error) {
      await quotas.refund(spend);
      throw error;
    }
  }

  return async (request, reply, prepare) => {
    let caller: Caller = callers.anonymous(request);
    try {
      caller = await callers.identify(request);
      return await answer(request, reply, { caller, prepared: prepare() });
    } catch (error) {
      withLimits(reply, await quotas.peek(caller, clock.nowMs()), clock.nowMs());
      throw error;
    }
  };
}

/**
 * The dashboard page that a request belongs to; null if it counts as a query of its own. A page has the session
 * cookie, or the token that came with it: a header alone can be written by any program. Renews the
 * token of a page that stays open.
 */
export function pageOf(
  { pageTokens, clock }: Pick<MeteringDeps, "pageTokens" | "clock">,
  asked: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly caller: Caller;
    readonly mint: Address | null;
  },
): Page | null {
  const { request, reply, caller, mint } = asked;
  if (mint === null) return null;
  if (caller.kind === "user") return caller.via.kind === "cookie" ? { mint } : null;
  // Absent on plain http outside loopback and in Safari before 16.4; no other site's page has the token.
  const { "sec-fetch-site": site = "same-origin", cookie } = request.headers;
  if (site !== "same-origin") return null;
  const token = pageTokens.check(cookie, clock.nowMs());
  if (token === null) return null;
  if (token.isRenewalDue) reply.header("set-cookie", pageTokens.cookie(clock.nowMs()));
  return { mint };
}

/** Answers 429 with the use, the limit, and how to get more. */
export function refuse(
  reply: FastifyReply,
  caller: Caller,
  spend: Spend & { readonly wanted?: number },
): FastifyReply {
  return reply
    .code(429)
    .header("retry-after", spend.retryAfterSeconds ?? 1)
    .send(rateLimitBody(spend, caller.kind === "anonymous"));
}

function withLimits(reply: FastifyReply, standing: QuotaStatus, nowMs: number): void {
  reply.headers(rateLimitHeaders(standing, nowMs));
}
