import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { FailureLogger } from "#src/platform/failure-log.ts";
import { mapSome } from "#src/platform/map-some.ts";
import type { Markets } from "#src/track/markets.ts";
import { parseAddress } from "#src/units/address.ts";
import { type Caller, callerTier, quotaSubject } from "#src/users/caller.ts";
import { tierLimits } from "#src/users/tiers.ts";
import { askerOfLoads, marketsFor } from "../asked-markets.ts";
import type { ExitabilityBody } from "../measuring/exitability-body.ts";
import type { Answer } from "../operation.ts";
import type { Grant } from "../plugins/bulk-metering.ts";
import { STATUS_OF_CODE } from "../plugins/errors.ts";
import { streamLimitBody } from "../rate-limit-body.ts";
import type { EventStream, EventStreams } from "./event-stream.ts";
import { type SentAnswers, StreamNews } from "./stream-news.ts";
import { questionKey, Subscriptions } from "./subscriptions.ts";
import {
  beyondLimit,
  type ManyQuestion,
  outcomeOf,
  serverFailed,
  type TokenOutcome,
} from "./token-outcome.ts";

const LOADS_AT_ONCE = 8;
/** A stream ends after an hour; reconnecting counts again, as an hour of a token's page does. */
const LONGEST_MS = 3_600_000;
/** Another stream of the caller may end at any time; a lost reader is noticed in about this time. */
const STREAM_MAY_END_SECONDS = 60;
/** Of so many ended streams it is known what their readers received, for those that reconnect. */
const REMEMBERED_STREAMS = 300;
/** The tier never follows as many tokens: Retry-After is that of a used-up day. */
const NEVER_ENOUGH_SECONDS = 86_400;

export type TokenStreamsDeps = {
  readonly markets: Markets;
  readonly streams: EventStreams;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

export type StreamQuestion = ManyQuestion & {
  readonly mints: readonly string[];
  readonly isOfOneToken: boolean;
  /** Null: each new answer, changed or not. */
  readonly thresholdPct: number | null;
};

type StreamInput = {
  readonly question: StreamQuestion;
  readonly grant: Grant;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** What was sent on a stream, and the question that it answers. */
type ServedStream = { readonly sent: SentAnswers; readonly key: string };

/** The open exitability streams, and how many tokens each caller follows in them. */
export class TokenStreams {
  readonly #deps: TokenStreamsDeps;
  readonly #subscriptions: Subscriptions;
  readonly #followed = new Map<string, number>();
  /** By the stream's part of its event ids. */
  readonly #open = new Map<string, ServedStream>();
  readonly #ended = new BoundedMap<string, ServedStream>(REMEMBERED_STREAMS);

  constructor(deps: TokenStreamsDeps) {
    this.#deps = deps;
    this.#subscriptions = new Subscriptions(deps);
  }

  /** Answers with a stream, or 429 if the caller would follow too many tokens at once. */
  async open(input: StreamInput): Promise<Answer> {
    const { question, grant, request, reply } = input;
    const { mints } = question;
    if (!this.#admit(grant.caller, mints.length)) {
      await grant.refundAll();
      const followed = this.#followedBy(grant.caller);
      return tooManyStreams(grant.caller, { asked: mints.length, followed });
    }
    try {
      if (question.isOfOneToken) await this.#requireToken(input);
      await grant.refund(mints.flatMap((id, place) => (parseAddress(id) === null ? place : [])));
    } catch (error) {
      this.#leave(grant.caller, mints.length);
      throw error;
    }
    const stream = this.#deps.streams.open(request, reply, grant.caller);
    await this.#serve(stream, input);
    return {};
  }

  close(): void {
    this.#subscriptions.close();
  }

  /** A stream of one token without an answer is refused as a question about it would be. */
  async #requireToken({ question, grant }: StreamInput): Promise<void> {
    const [id = ""] = question.mints;
    const { refundAll, caller } = grant;
    const markets = marketsFor(this.#deps.markets, caller);
    const outcome = await outcomeOf(markets, id, question).catch(async (error: unknown) => {
      await refundAll();
      throw error;
    });
    if (outcome.status === 200) return;
    if (outcome.status === 404)
      throw new AppError("not_found", { publicMessage: outcome.message ?? "" });
    await refundAll();
    throw new AppError(outcome.error === "overloaded" ? "overloaded" : "chain_unavailable", {
      publicMessage: outcome.message ?? "The chain can't be reached for this token.",
    });
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

  async #serve(stream: EventStream, { question, grant, request }: StreamInput): Promise<void> {
    const { granted, caller } = grant;
    const streamId = randomUUID().slice(0, 8);
    const key = questionKey(question);
    const earlier = this.#earlierStream(key, request.headers["last-event-id"]);
    const received = earlier?.received ?? new Map<string, ExitabilityBody>();
    const news = new StreamNews(question.thresholdPct, (bodies, delivery) => {
      send(stream, bodies, `${streamId}.${delivery}`);
      // A reader that loses this connection before the event with the id resumes from the earlier stream
      // again. It is not known then which of both answers it has.
      for (const { token_id } of bodies) earlier?.sent.delete(token_id);
    });
    this.#open.set(streamId, { sent: news.sent, key });
    const stops: (() => void)[] = [];
    const end = setTimeout(() => stream.close(), LONGEST_MS);
    end.unref();
    let isOpen = true;
    stream.onClose(() => {
      isOpen = false;
      clearTimeout(end);
      news.close();
      this.#open.delete(streamId);
      this.#ended.set(streamId, { sent: news.sent, key });
      this.#leave(caller, question.mints.length);
      for (const stop of stops) stop();
    });
    await mapSome(question.mints, LOADS_AT_ONCE, async (id, place) => {
      if (!isOpen) return;
      const isGranted = place < granted;
      const outcome = isGranted
        ? await this.#firstOutcome(id, { question, grant, request })
        : beyondLimit(id);
      const mint = parseAddress(id);
      if (!isOpen) return;
      const { exitability } = outcome;
      if (exitability === null) {
        stream.send({ event: "unavailable", data: JSON.stringify(outcome) });
      }
      if (!isGranted || mint === null) return;
      const { subscription, stop } = this.#subscriptions.follow(
        { ...question, mint },
        (each) => news.add(each),
        {
          asker: askerOfLoads(caller),
          isMissing: outcome.status === STATUS_OF_CODE.not_found,
        },
      );
      stops.push(stop);
      const body = subscription.body ?? exitability;
      if (body === null) return;
      const earlier = received.get(body.token_id);
      if (earlier !== undefined) news.markSent(earlier);
      news.addBody(body);
    });
    news.flush();
  }

  /** The stream is open: a token that fails is unavailable, and neither ends nor delays the others. */
  async #firstOutcome(
    id: string,
    { question, grant, request }: Omit<StreamInput, "reply">,
  ): Promise<TokenOutcome> {
    try {
      return await outcomeOf(marketsFor(this.#deps.markets, grant.caller), id, question);
    } catch (err) {
      request.log.error(
        { err, mint: id },
        "failed to load a streamed token; the next round repeats it",
      );
      return serverFailed(id);
    }
  }

  /**
   * What was sent on the stream of the last event that a reconnecting reader received, and by token the
   * answer that the reader has. Left out are tokens whose last answer was sent after that event: it is not
   * known which one the reader has. Null if the stream is not known any more.
   */
  #earlierStream(key: string, lastEventId: string | readonly string[] | undefined) {
    const [, streamId = "", last] = /^(\w+)\.(\d{1,15})$/.exec(String(lastEventId)) ?? [];
    const earlier = this.#open.get(streamId) ?? this.#ended.get(streamId);
    if (earlier?.key !== key) return null;
    const { sent } = earlier;
    const received = [...sent].filter(([, { delivery }]) => delivery <= Number(last));
    return { sent, received: new Map(received.map(([token, { body }]) => [token, body])) };
  }
}

function send(stream: EventStream, bodies: readonly ExitabilityBody[], id: string): void {
  // Only the last body has an id: it confirms all bodies sent with it.
  for (const [place, body] of bodies.entries()) {
    const data = JSON.stringify(body);
    const isLast = place === bodies.length - 1;
    stream.send({ event: "exitability", data, ...(isLast ? { id } : {}) });
  }
}

/** The 429 with the number of followed tokens, the limit, and when a retry may succeed. */
function tooManyStreams(
  caller: Caller,
  { asked, followed }: { readonly asked: number; readonly followed: number },
): Answer {
  const { streamedTokens: limit } = tierLimits(callerTier(caller));
  const retryAfter = asked > limit ? NEVER_ENOUGH_SECONDS : STREAM_MAY_END_SECONDS;
  return {
    status: STATUS_OF_CODE.rate_limit_exceeded,
    headers: { "retry-after": String(retryAfter) },
    body: streamLimitBody({ asked, followed, limit }, caller.kind === "anonymous"),
  };
}
