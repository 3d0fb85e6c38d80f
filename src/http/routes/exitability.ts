import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Profile } from "#src/measure/assessment.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { MarketSnapshot, MarketSource } from "#src/track/market-snapshot.ts";
import { type Address, parseAddress } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Caller } from "#src/users/caller.ts";
import type { Page, Quotas, Spend, Standing } from "#src/users/quotas.ts";
import { rateLimitHeaders } from "#src/users/rate-limit-headers.ts";
import { exitabilityBody, type RequestedSize } from "#src/wire/exitability.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import { rateLimitBody } from "#src/wire/rate-limit.ts";
import { parseSize } from "#src/wire/size.ts";
import type { Callers } from "../plugins/callers.ts";

export type ExitabilityDeps = {
  readonly markets: MarketSource;
  readonly quotas: Quotas;
  readonly callers: Callers;
  readonly nowMs: NowMs;
};

type Route = {
  Params: { readonly id: string };
  Querystring: { readonly profile?: unknown; readonly size?: unknown };
};
type Request = FastifyRequest<Route>;
type Question = { readonly profile: Profile; readonly size: RequestedSize; readonly id: string };
type Answer = { readonly status: 200 | 404; readonly body: object };

/** GET /api/token/{id}/exitability: who asks, what for, whether they may, and only then the market. */
export function exitabilityRoute(app: FastifyInstance, deps: ExitabilityDeps): void {
  const { callers, quotas, nowMs } = deps;

  async function answerWithin(request: Request, reply: FastifyReply, caller: Caller) {
    const question = readQuestion(request);
    const mint = parseAddress(question.id);
    if (mint === null) {
      withLimits(reply, await quotas.peek(caller, nowMs()), nowMs());
      return send(reply, notFound(question, "is not a Solana address: 32 bytes in base58."));
    }
    const page = pageOf(request, caller, mint);
    const spend = await quotas.spend(caller, nowMs(), page);
    withLimits(reply, spend, nowMs());
    if (!spend.allowed) return refuse(reply, caller, spend);
    try {
      return send(reply, await measured(deps.markets, mint, question, request));
    } catch (error) {
      await quotas.refund(spend);
      throw error;
    }
  }

  app.get<Route>("/api/token/:id/exitability", async (request, reply) => {
    let caller: Caller = callers.anonymous(request);
    try {
      caller = await callers.identify(request);
      return await answerWithin(request, reply, caller);
    } catch (error) {
      withLimits(reply, await quotas.peek(caller, nowMs()), nowMs());
      throw error;
    }
  });
}

function readQuestion(request: Request): Question {
  const { profile = "retail", size = "1" } = request.query;
  if (profile !== "retail" && profile !== "pro") {
    throw new AppError("invalid_profile", { publicMessage: "profile must be retail or pro." });
  }
  const parsed = typeof size === "string" ? parseSize(size) : null;
  if (parsed === null) {
    throw new AppError("invalid_size", {
      publicMessage: "size must be a number of SOL from 0.01 to 1000, in plain digits.",
    });
  }
  return { profile, size: parsed, id: request.params.id };
}

/** On the dashboard a token's page counts once an hour, everything on it included. */
function pageOf(request: Request, caller: Caller, mint: Address): Page | null {
  const isDashboard =
    (caller.kind === "user" && caller.via.kind === "cookie") ||
    (caller.kind === "anonymous" && request.headers["sec-fetch-site"] === "same-origin");
  return isDashboard ? { mint } : null;
}

async function measured(
  markets: MarketSource,
  mint: Address,
  question: Question,
  request: Request,
): Promise<Answer> {
  if (mint === WSOL) return notFound(question, "is SOL itself, which is what exits are paid in.");
  const snapshot = markets.latest(mint) ?? (await markets.snapshot(mint));
  return answerOf(snapshot, question, request.headers["accept-language"]);
}

function answerOf(snapshot: MarketSnapshot, question: Question, accepted?: string): Answer {
  switch (snapshot.kind) {
    case "assessed": {
      const { assessment, trend, isDeteriorating } = snapshot;
      const language = preferredLanguage(accepted);
      const { profile, size } = question;
      const answer = { assessment, trend, isDeteriorating, profile, size, language };
      return { status: 200, body: exitabilityBody(answer) };
    }
    case "not-found":
      return notFound(question, "has no pool or curve on any program we model.");
    case "unavailable":
      throw new AppError("chain_unavailable", {
        publicMessage: "The chain can't be reached, and nothing is stored for this token yet.",
      });
    default: {
      const unreachable: never = snapshot;
      return unreachable;
    }
  }
}

function notFound({ id, profile }: Question, clause: string): Answer {
  const message = `${id} ${clause}`;
  return {
    status: 404,
    body: { error: "not_found", message, state: "not_found", token_id: id, profile },
  };
}

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  return reply.code(status).send(body);
}

function refuse(reply: FastifyReply, caller: Caller, spend: Spend): FastifyReply {
  return reply
    .code(429)
    .header("retry-after", spend.retryAfterSeconds ?? 1)
    .send(rateLimitBody(spend, caller.kind === "anonymous"));
}

function withLimits(reply: FastifyReply, standing: Standing, nowMs: number): void {
  reply.headers(rateLimitHeaders(standing, nowMs));
}
