import type { FastifyReply, FastifyRequest } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Caller } from "#src/users/caller.ts";
import type { Page, Quotas, Spend, Standing } from "#src/users/quotas.ts";
import { rateLimitHeaders } from "#src/users/rate-limit-headers.ts";
import { rateLimitBody } from "#src/wire/rate-limit.ts";
import type { Callers } from "./callers.ts";

export type MeteringDeps = {
  readonly quotas: Quotas;
  readonly callers: Callers;
  readonly nowMs: NowMs;
};

/** An answer that did the work: it counts. */
export type Answer = {
  readonly status: 200 | 404;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The question as it was read; reading throws AppError for what was asked wrongly. */
export type Prepared =
  /** Known without any work, and not counted. */
  | { readonly kind: "known"; readonly answer: Answer }
  | {
      readonly kind: "work";
      /** The token whose page this belongs to, on the dashboard. */
      readonly mint: Address | null;
      readonly work: () => Promise<Answer>;
    };

export type Metering = (
  request: FastifyRequest,
  reply: FastifyReply,
  prepare: () => Prepared,
) => Promise<FastifyReply>;

/**
 * Counts what callers ask of the measuring endpoints (contract.md sections 2 and 3): 401 first, then
 * what is wrong with the question, then the limit, then the work. What was not done is given back.
 * Every answer carries the rate limit headers.
 */
export function createMetering({ quotas, callers, nowMs }: MeteringDeps): Metering {
  async function answer(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: { readonly caller: Caller; readonly prepared: Prepared },
  ): Promise<FastifyReply> {
    const { caller, prepared } = asked;
    if (prepared.kind === "known") {
      withLimits(reply, await quotas.peek(caller, nowMs()), nowMs());
      return reply.code(prepared.answer.status).send(prepared.answer.body);
    }
    const spend = await quotas.spend(caller, nowMs(), pageOf(request, caller, prepared.mint));
    withLimits(reply, spend, nowMs());
    if (!spend.allowed) return refuse(reply, caller, spend);
    try {
      const { status, body, headers = {} } = await prepared.work();
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
      withLimits(reply, await quotas.peek(caller, nowMs()), nowMs());
      throw error;
    }
  };
}

/** On the dashboard a token's page counts once an hour, everything on it included. */
export function pageOf(request: FastifyRequest, caller: Caller, mint: Address | null): Page | null {
  const isDashboard =
    (caller.kind === "user" && caller.via.kind === "cookie") ||
    (caller.kind === "anonymous" && request.headers["sec-fetch-site"] === "same-origin");
  return isDashboard && mint !== null ? { mint } : null;
}

/** Answers 429 with what was used, of what, and the ways on. */
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

function withLimits(reply: FastifyReply, standing: Standing, nowMs: number): void {
  reply.headers(rateLimitHeaders(standing, nowMs));
}
