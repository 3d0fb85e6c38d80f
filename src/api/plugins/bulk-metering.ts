import type { FastifyReply, FastifyRequest } from "fastify";
import { type Caller, callerTier } from "#src/users/caller.ts";
import type { Spend } from "#src/users/quotas.ts";
import { tierLimits } from "#src/users/tiers.ts";
import type { TokensQuestion } from "../operation.ts";
import { type MeteringDeps, pageOf, refuse } from "./metering.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

/** Tokens that count as one query, for tiers without a daily gate. */
const TOKENS_PER_QUERY = 10;

/**
 * An onRequest hook: sets the caller's rate limit headers, and refuses a wrong key or session before
 * the body is read.
 */
export function createCallerFirst({ quotas, callers, clock }: MeteringDeps): CallerFirst {
  return async (request, reply) => {
    let caller: Caller = callers.anonymous(request);
    try {
      caller = await callers.identify(request);
    } finally {
      reply.headers(rateLimitHeaders(await quotas.peek(caller, clock.nowMs()), clock.nowMs()));
    }
  };
}

/** How many tokens of a question the caller has paid for. */
export type Grant = {
  readonly caller: Caller;
  /** The first so many of the tokens. */
  readonly granted: number;
  /** Refunds the tokens at these places, if each was paid for alone. */
  readonly refund: (places: readonly number[]) => Promise<void>;
  readonly refundAll: () => Promise<void>;
};

export type CallerFirst = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export type BulkMetering = (
  request: FastifyRequest,
  reply: FastifyReply,
  prepare: () => TokensQuestion,
) => Promise<Grant | null>;

/**
 * Counts a question about many tokens. With a daily gate each token is a query, and the day's remaining
 * queries are granted; without one every ten tokens are a query, and each that has to be loaded first
 * is one, and all or none are granted. Null:
 * nothing was granted, and the refusal was sent.
 */
export function createBulkMetering(deps: MeteringDeps): BulkMetering {
  const { quotas, callers, clock } = deps;
  async function take(
    caller: Caller,
    spendAt: (place: number) => Promise<Spend>,
    { tokens, unloaded = 0 }: Pick<TokensQuestion, "tokens" | "unloaded">,
  ) {
    const isGated = tierLimits(callerTier(caller)).dailyQueries !== null;
    const wanted = isGated ? tokens : unloaded + Math.ceil((tokens - unloaded) / TOKENS_PER_QUERY);
    const paid: Spend[] = [];
    let last = await spendAt(0);
    while (last.allowed && paid.push(last) < wanted) last = await spendAt(paid.length);
    if (!isGated && !last.allowed && paid.length > 0) {
      for (const spend of paid.splice(0)) await quotas.refund(spend);
      last = { ...last, ...(await quotas.peek(caller, clock.nowMs())) };
    }
    return { isGated, wanted, paid, last };
  }

  return async (request, reply, prepare) => {
    let caller: Caller = callers.anonymous(request);
    try {
      caller = await callers.identify(request);
      const question = prepare();
      const { tokens, pages } = question;
      const asker = caller;
      // One check for all: it may renew the page's cookie.
      const mint = pages.find((each) => each !== null) ?? null;
      const isPage = pageOf(deps, { request, reply, caller: asker, mint }) !== null;
      const spendAt = (place: number) => {
        const at = pages[place] ?? null;
        return quotas.spend(asker, clock.nowMs(), isPage && at !== null ? { mint: at } : null);
      };
      const { isGated, wanted, paid, last } = await take(asker, spendAt, question);
      reply.headers(rateLimitHeaders(last, clock.nowMs()));
      if (paid.length === 0) {
        refuse(reply, asker, { ...last, wanted });
        return null;
      }
      const giveBack = async (spends: readonly Spend[]) => {
        if (spends.length === 0) return;
        for (const spend of spends) await quotas.refund(spend);
        reply.headers(rateLimitHeaders(await quotas.peek(asker, clock.nowMs()), clock.nowMs()));
      };
      return {
        caller: asker,
        granted: isGated ? paid.length : tokens,
        refund: (places) => giveBack(isGated ? places.flatMap((place) => paid[place] ?? []) : []),
        refundAll: () => giveBack(paid),
      };
    } catch (error) {
      reply.headers(rateLimitHeaders(await quotas.peek(caller, clock.nowMs()), clock.nowMs()));
      throw error;
    }
  };
}
