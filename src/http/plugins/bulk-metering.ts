import type { FastifyReply, FastifyRequest } from "fastify";
import type { Address } from "#src/units/address.ts";
import { type Caller, callerTier } from "#src/users/caller.ts";
import type { Spend } from "#src/users/quotas.ts";
import { rateLimitHeaders } from "#src/users/rate-limit-headers.ts";
import { tierLimits } from "#src/users/tiers.ts";
import { type MeteringDeps, pageOf, refuse } from "./metering.ts";

/** So many tokens are one query for tiers without a daily gate. */
const TOKENS_PER_QUERY = 10;

/**
 * An onRequest hook: says how the caller stands, and refuses a wrong key or session, before there is a
 * body that may be wrong too.
 */
export function createCallerFirst({ quotas, callers, nowMs }: MeteringDeps): CallerFirst {
  return async (request, reply) => {
    let caller: Caller = callers.anonymous(request);
    try {
      caller = await callers.identify(request);
    } finally {
      reply.headers(rateLimitHeaders(await quotas.peek(caller, nowMs()), nowMs()));
    }
  };
}

/** What a caller may have of what was asked at once. */
export type Grant<Asked> = {
  readonly asked: Asked;
  readonly caller: Caller;
  /** The first so many of the tokens. */
  readonly granted: number;
  /** Gives back what was paid for the tokens at these places, where each was paid for alone. */
  readonly refund: (places: readonly number[]) => Promise<void>;
  readonly refundAll: () => Promise<void>;
};

/** A question about many tokens as it was read; reading throws AppError for what was asked wrongly. */
export type Asking<Asked> = {
  readonly asked: Asked;
  readonly tokens: number;
  /** The one token, where it may belong to its page on the dashboard. */
  readonly page: Address | null;
};

export type CallerFirst = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export type BulkMetering = <Asked>(
  request: FastifyRequest,
  reply: FastifyReply,
  prepare: () => Asking<Asked>,
) => Promise<Grant<Asked> | null>;

/**
 * Counts a question about many tokens. With a daily gate each token is a query, and those that the
 * day has left are granted; without one every ten tokens are, all of them or none. Null: nothing was
 * granted, and the refusal is sent.
 */
export function createBulkMetering({ quotas, callers, nowMs }: MeteringDeps): BulkMetering {
  async function take(caller: Caller, spendOnce: () => Promise<Spend>, tokens: number) {
    const isGated = tierLimits(callerTier(caller)).dailyQueries !== null;
    const wanted = isGated ? tokens : Math.ceil(tokens / TOKENS_PER_QUERY);
    const paid: Spend[] = [];
    let last = await spendOnce();
    while (last.allowed && paid.push(last) < wanted) last = await spendOnce();
    if (!isGated && !last.allowed && paid.length > 0) {
      for (const spend of paid.splice(0)) await quotas.refund(spend);
      last = { ...last, ...(await quotas.peek(caller, nowMs())) };
    }
    return { isGated, wanted, paid, last };
  }

  return async (request, reply, prepare) => {
    let caller: Caller = callers.anonymous(request);
    try {
      caller = await callers.identify(request);
      const { asked, tokens, page } = prepare();
      const asker = caller;
      const onPage = pageOf(request, asker, page);
      const spendOnce = () => quotas.spend(asker, nowMs(), onPage);
      const { isGated, wanted, paid, last } = await take(asker, spendOnce, tokens);
      reply.headers(rateLimitHeaders(last, nowMs()));
      if (paid.length === 0) {
        refuse(reply, asker, { ...last, wanted });
        return null;
      }
      const giveBack = async (spends: readonly Spend[]) => {
        if (spends.length === 0) return;
        for (const spend of spends) await quotas.refund(spend);
        reply.headers(rateLimitHeaders(await quotas.peek(asker, nowMs()), nowMs()));
      };
      return {
        asked,
        caller: asker,
        granted: isGated ? paid.length : tokens,
        refund: (places) => giveBack(isGated ? places.flatMap((place) => paid[place] ?? []) : []),
        refundAll: () => giveBack(paid),
      };
    } catch (error) {
      reply.headers(rateLimitHeaders(await quotas.peek(caller, nowMs()), nowMs()));
      throw error;
    }
  };
}
