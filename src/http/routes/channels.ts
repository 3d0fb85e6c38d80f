import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import {
  type ChannelAnswer,
  type ChannelRequest,
  type Channels,
  parseChannelKind,
} from "#src/watchlist/channels.ts";
import { addedChannelBody, channelBody, deadLetterBody } from "#src/wire/channel.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import type { Callers } from "../plugins/callers.ts";
import { bodyObject, invalid, type JsonObject } from "../plugins/json-body.ts";
import { sessionRequired } from "../plugins/session.ts";

const PATH = "/api/account/channels";
const ID_TEXT = /^\d{1,18}$/;
const LONGEST_TARGET = 2_048;
const ADDITIONS_WAIT_SECONDS = 600;
const TEST_WAIT_SECONDS = 10;

export type ChannelRouteDeps = { readonly channels: Channels; readonly callers: Callers };

type ById = { Params: { readonly id: string } };

/** The ways in which a user is told of alerts: /api/account/channels. */
export function channelRoutes(app: FastifyInstance, { channels, callers }: ChannelRouteDeps): void {
  const onRequest = sessionRequired(callers);

  app.get(PATH, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const listed = await channels.list(userId);
    return reply.header("cache-control", "no-store").send({
      items: listed.channels.map(channelBody),
      dead_letters: listed.deadLetters.map(deadLetterBody),
    });
  });

  app.post(PATH, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const body = bodyObject(request);
    const language = preferredLanguage(request.headers["accept-language"]);
    const wanted = { userId, kind: kindIn(body), target: targetIn(body), language };
    const answer = await channels.add(wanted);
    if (answer.kind === "too-many") reply.header("retry-after", ADDITIONS_WAIT_SECONDS);
    if (answer.kind !== "added") throw refusedChannel(answer);
    return reply
      .code(201)
      .header("cache-control", "no-store")
      .send(addedChannelBody(answer, language));
  });

  app.patch(PATH, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const body = bodyObject(request);
    const id = readId(body["id"]);
    const { enabled } = body;
    if (typeof enabled !== "boolean")
      throw invalid("invalid_body", "enabled has to be true or false.");
    if (!(await channels.setEnabled(userId, id, enabled))) throw noChannel();
    return reply.send({ status: "updated" });
  });

  app.delete<{ Querystring: { readonly id?: unknown } }>(
    PATH,
    { onRequest },
    async (request, reply) => {
      const { userId } = await callers.signedIn(request);
      if (!(await channels.remove(userId, readId(request.query.id)))) throw noChannel();
      return reply.send({ status: "deleted" });
    },
  );

  provingRoutes(app, { channels, callers });
}

/** What shows that a channel works: its code, and a test. */
function provingRoutes(app: FastifyInstance, { channels, callers }: ChannelRouteDeps): void {
  const onRequest = sessionRequired(callers);

  app.post<ById>(`${PATH}/:id/verify`, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const { code } = bodyObject(request);
    if (typeof code !== "string" || code.length > 64)
      throw invalid("invalid_body", "code has to be the code that the channel received.");
    const outcome = await channels.verify(userId, readId(request.params.id), code.trim());
    if (outcome === null) throw noChannel();
    if (outcome === "wrong")
      throw invalid("invalid_body", "This code is wrong, used or too old; ask for another.");
    return reply.send({ status: "verified" });
  });

  app.post<ById>(`${PATH}/:id/test`, { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const sent = await channels.test(userId, readId(request.params.id));
    if (sent === null) throw noChannel();
    if (sent === "too-soon") {
      reply.header("retry-after", TEST_WAIT_SECONDS);
      throw invalid("rate_limit_exceeded", "A channel is tested at most once in ten seconds.");
    }
    const error = sent.kind === "failed" ? sent.error : null;
    return reply.send({ status: sent.kind, error });
  });
}

function kindIn({ kind }: JsonObject): ChannelRequest["kind"] {
  const known = parseChannelKind(kind);
  if (known !== null) return known;
  throw invalid("invalid_body", "kind has to be email, webhook or telegram.");
}

function targetIn({ target }: JsonObject): string {
  if (typeof target === "string" && target.length <= LONGEST_TARGET) return target.trim();
  throw invalid("invalid_body", "target has to be an address, a URL or a chat.");
}

function readId(id: unknown): bigint {
  if (typeof id === "string" && ID_TEXT.test(id)) return BigInt(id);
  throw invalid("invalid_body", "id has to be the id of a channel.");
}

/** Of a channel that another user has, too. */
function noChannel(): AppError {
  return new AppError("not_found", { publicMessage: "You have no such channel." });
}

function refusedChannel(answer: Exclude<ChannelAnswer, { readonly kind: "added" }>): AppError {
  switch (answer.kind) {
    case "invalid-email":
      return invalid("invalid_email", "target has to be an e-mail address, in plain ASCII.");
    case "invalid-target":
      return invalid("invalid_body", answer.reason);
    case "duplicate":
      return invalid("duplicate", "You have this channel already.");
    case "limit-reached":
      return invalid("limit_reached", `An account has at most ${answer.limit} channels.`);
    case "too-many":
      return invalid("rate_limit_exceeded", "Too many channels were tried; wait ten minutes.");
    case "no-user":
      return invalid("unauthorized", "This account is no longer there.");
    default: {
      const unreachable: never = answer;
      return unreachable;
    }
  }
}
