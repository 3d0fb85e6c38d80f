import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import { mapSome } from "#src/platform/map-some.ts";
import { parseAddress } from "#src/units/address.ts";
import { type Caller, callerTier, quotaSubject } from "#src/users/caller.ts";
import { tierLimits } from "#src/users/tiers.ts";
import type { ExitabilityBody } from "#src/wire/exitability.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import { streamLimitBody } from "#src/wire/rate-limit.ts";
import { LONGEST_MINT_TEXT, MOST_MINTS } from "#src/wire/schema/batch.ts";
import type { BulkMetering, Grant } from "../plugins/bulk-metering.ts";
import { STATUS_OF_CODE } from "../plugins/errors.ts";
import { type EventStream, openEventStream } from "../plugins/event-stream.ts";
import { type ChannelMarkets, ExitabilityChannels } from "../plugins/exitability-channels.ts";
import { invalid } from "../plugins/json-body.ts";
import { StreamNews } from "../plugins/stream-news.ts";
import { beyondLimit, type ManyQuestion, outcomeOf } from "./token-outcome.ts";
import { readProfile, readSize } from "./token-question.ts";

const LOADS_AT_ONCE = 8;
/** A stream ends after an hour: who comes back is counted again, as for an hour of a token's page. */
const LONGEST_MS = 3_600_000;
/** As any program writes a number that is not below zero. */
const NUMBER = /^\d{1,3}(?:\.\d{1,30})?(?:e-\d{1,3})?$/;
/** A stream of the caller's may end at any time; one whose reader is gone is noticed in about this time. */
const STREAM_MAY_END_SECONDS = 60;
/** More than the tier follows at all: as where a day's queries are used up, waiting is not the way. */
const NEVER_ENOUGH_SECONDS = 86_400;
const DEFAULT_THRESHOLD_PCT = 0.1;

export type StreamDeps = {
  readonly markets: ChannelMarkets;
  readonly bulkMetering: BulkMetering;
  readonly nowMs: NowMs;
};

type Query = {
  readonly mints?: unknown;
  readonly profile?: unknown;
  readonly size?: unknown;
  readonly threshold?: unknown;
};

type Question = ManyQuestion & {
  readonly mints: readonly string[];
  readonly isOfOneToken: boolean;
  /** Null: each new answer, changed or not. */
  readonly thresholdPct: number | null;
};

/** Server-sent events: each new answer of one token, or the changes of up to a hundred. */
export function streamRoutes(app: FastifyInstance, deps: StreamDeps): void {
  const streams = new OpenStreams(deps);
  app.addHook("preClose", async () => streams.close());

  app.get<{ Params: { readonly id: string }; Querystring: Query }>(
    "/api/token/:id/exitability/stream",
    (request, reply) =>
      streams.open(request, reply, () => {
        const { id } = request.params;
        if (parseAddress(id) === null) {
          throw invalid("not_found", `${id.slice(0, LONGEST_MINT_TEXT)} is not a Solana address.`);
        }
        return { ...readQuestion(request, null), isOfOneToken: true, mints: [id] };
      }),
  );

  app.get<{ Querystring: Query }>("/api/stream", (request, reply) =>
    streams.open(request, reply, () => ({
      ...readQuestion(request, DEFAULT_THRESHOLD_PCT),
      isOfOneToken: false,
      mints: readMints(request.query.mints),
    })),
  );
}

/** The streams that are open, and how many tokens each caller follows by them. */
class OpenStreams {
  readonly #deps: StreamDeps;
  readonly #channels: ExitabilityChannels;
  readonly #open = new Set<EventStream>();
  readonly #followed = new Map<string, number>();
  /** Event ids of another process mean nothing here. */
  readonly #boot = randomUUID().slice(0, 8);

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    this.#channels = new ExitabilityChannels(deps.markets, deps.nowMs);
  }

  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Question,
  ): Promise<FastifyReply> {
    const grant = await this.#deps.bulkMetering(request, reply, () => {
      const asked = read();
      const page = asked.isOfOneToken ? parseAddress(asked.mints[0] ?? "") : null;
      return { asked, tokens: asked.mints.length, page };
    });
    if (grant === null) return reply;
    const { asked: question } = grant;
    const { mints } = question;
    if (!this.#admit(grant.caller, mints.length)) {
      await grant.refundAll();
      return refuseStreams(reply, grant.caller, {
        asked: mints.length,
        followed: this.#followedBy(grant.caller),
      });
    }
    if (question.isOfOneToken) await this.#requireToken(grant);
    await grant.refund(mints.flatMap((id, place) => (parseAddress(id) === null ? place : [])));
    await this.#serve(request, reply, grant);
    return reply;
  }

  close(): void {
    for (const stream of this.#open) stream.close();
    this.#channels.close();
  }

  /** A stream of one token that has no answer is refused as its question would be. */
  async #requireToken({ asked: question, caller, refundAll }: Grant<Question>): Promise<void> {
    const [id = ""] = question.mints;
    const outcome = await outcomeOf(this.#deps.markets, id, question).catch(
      async (error: unknown) => {
        this.#leave(caller, 1);
        await refundAll();
        throw error;
      },
    );
    if (outcome.status === 200) return;
    this.#leave(caller, 1);
    if (outcome.status === 404) throw invalid("not_found", outcome.message ?? "");
    await refundAll();
    throw invalid("chain_unavailable", "The chain can't be reached for this token.");
  }

  #followedBy(caller: Caller): number {
    return this.#followed.get(quotaSubject(caller)) ?? 0;
  }

  #admit(caller: Caller, tokens: number): boolean {
    const followed = this.#followedBy(caller) + tokens;
    if (followed > tierLimits(callerTier(caller)).streamedTokens) return false;
    this.#followed.set(quotaSubject(caller), followed);
    return true;
  }

  #leave(caller: Caller, tokens: number): void {
    const subject = quotaSubject(caller);
    const left = this.#followedBy(caller) - tokens;
    if (left > 0) this.#followed.set(subject, left);
    else this.#followed.delete(subject);
  }

  async #serve(
    request: FastifyRequest,
    reply: FastifyReply,
    { asked: question, granted, caller }: Grant<Question>,
  ): Promise<void> {
    const resumeAfter = this.#seenBy(request.headers["last-event-id"]);
    const stream = openEventStream(request, reply);
    this.#open.add(stream);
    const news = new StreamNews(question.thresholdPct, (bodies) => this.#send(stream, bodies));
    const stops: (() => void)[] = [];
    const end = setTimeout(() => stream.close(), LONGEST_MS);
    end.unref();
    let isOpen = true;
    stream.onClose(() => {
      isOpen = false;
      clearTimeout(end);
      news.close();
      this.#open.delete(stream);
      this.#leave(caller, question.mints.length);
      for (const stop of stops) stop();
    });
    await mapSome(question.mints, LOADS_AT_ONCE, async (id, place) => {
      if (!isOpen) return;
      const isGranted = place < granted;
      const outcome = isGranted
        ? await outcomeOf(this.#deps.markets, id, question)
        : beyondLimit(id);
      const mint = parseAddress(id);
      if (!isOpen) return;
      const { exitability } = outcome;
      if (exitability === null) {
        stream.send({ event: "unavailable", data: JSON.stringify(outcome) });
      }
      if (!isGranted || mint === null) return;
      const { channel, stop } = this.#channels.follow(
        { ...question, mint },
        (channel) => news.add(channel),
        { isSought: exitability === null && outcome.status !== STATUS_OF_CODE.not_found },
      );
      stops.push(stop);
      const body = channel.body ?? exitability;
      if (body === null) return;
      const isSeen = resumeAfter !== null && channel.changedAt <= resumeAfter;
      if (isSeen && channel.body !== null) news.markSent(body);
      else news.addBody(body);
    });
    news.flush();
  }

  #send(stream: EventStream, bodies: readonly ExitabilityBody[]): void {
    const id = `${this.#boot}.${this.#channels.events}`;
    // The last one alone has an id: who has seen it has seen all that was gathered with it.
    for (const [place, body] of bodies.entries()) {
      const data = JSON.stringify(body);
      const isLast = place === bodies.length - 1;
      stream.send({ event: "exitability", data, ...(isLast ? { id } : {}) });
    }
  }

  /** The last change that a reader who comes back has seen; null where that is not known. */
  #seenBy(lastEventId: string | readonly string[] | undefined): number | null {
    const [, boot, event] = /^(\w+)\.(\d{1,15})$/.exec(String(lastEventId)) ?? [];
    return boot === this.#boot && event !== undefined ? Number(event) : null;
  }
}

function readQuestion(
  request: FastifyRequest<{ Querystring: Query }>,
  defaultThresholdPct: number | null,
): Omit<Question, "mints" | "isOfOneToken"> {
  const { profile, size, threshold } = request.query;
  return {
    profile: readProfile(profile),
    size: readSize(size),
    language: preferredLanguage(request.headers["accept-language"]),
    thresholdPct: threshold === undefined ? defaultThresholdPct : readThreshold(threshold),
  };
}

function readThreshold(text: unknown): number {
  const value = typeof text === "string" && NUMBER.test(text) ? Number(text) : Number.NaN;
  if (value <= 100) return value;
  throw invalid("invalid_body", "threshold must be percentage points from 0 to 100.");
}

function readMints(text: unknown): readonly string[] {
  const mints = typeof text === "string" ? [...new Set(text.split(","))] : [];
  if (mints.length > 0 && mints.length <= MOST_MINTS && mints.every(isMintText)) return mints;
  throw invalid("invalid_body", `mints has to be 1 to ${MOST_MINTS} addresses, with commas.`);
}

/** Its length as the batch has it; what is no address has an outcome of its own. */
function isMintText(text: string): boolean {
  return text.length > 0 && text.length <= LONGEST_MINT_TEXT;
}

/** Answers 429 with how many tokens are followed, of how many, and when it may be worth asking again. */
function refuseStreams(
  reply: FastifyReply,
  caller: Caller,
  { asked, followed }: { readonly asked: number; readonly followed: number },
): FastifyReply {
  const { streamedTokens: limit } = tierLimits(callerTier(caller));
  return reply
    .code(STATUS_OF_CODE.rate_limit_exceeded)
    .header("retry-after", asked > limit ? NEVER_ENOUGH_SECONDS : STREAM_MAY_END_SECONDS)
    .send(streamLimitBody({ asked, followed, limit }, caller.kind === "anonymous"));
}
