import type { FastifyInstance, FastifyRequest } from "fastify";
import type { AlertFeed } from "#src/watchlist/alert-feed.ts";
import { alertItem, type ShownAlert } from "#src/wire/alert.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import type { Callers } from "../plugins/callers.ts";
import { type EventStream, openEventStream } from "../plugins/event-stream.ts";
import { invalid } from "../plugins/json-body.ts";
import { sessionRequired } from "../plugins/session.ts";

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 100;
const ID_TEXT = /^\d{1,18}$/;
/** A stream ends within this time after its session. */
const CHECK_SESSION_EVERY_MS = 30_000;

export type AlertRouteDeps = {
  readonly feed: Pick<AlertFeed, "page" | "follow">;
  readonly callers: Callers;
};

/** A user's alerts: /api/account/alerts, page by page and live. */
export function alertRoutes(app: FastifyInstance, { feed, callers }: AlertRouteDeps): void {
  const onRequest = sessionRequired(callers);
  const open = new Set<EventStream>();
  app.addHook("preClose", async () => {
    for (const stream of open) stream.close();
  });

  app.get<{ Querystring: { readonly before?: unknown; readonly limit?: unknown } }>(
    "/api/account/alerts",
    { onRequest },
    async (request, reply) => {
      const { userId } = await callers.signedIn(request);
      const beforeId = readBefore(request.query.before);
      const limit = readLimit(request.query.limit);
      const alerts = await feed.page({ userId, beforeId, limit });
      const language = preferredLanguage(request.headers["accept-language"]);
      return reply
        .header("cache-control", "no-store")
        .send({ items: alerts.map((alert) => alertItem(alert, language)) });
    },
  );

  app.get("/api/account/alerts/stream", { onRequest }, async (request, reply) => {
    const { userId } = await callers.signedIn(request);
    const language = preferredLanguage(request.headers["accept-language"]);
    const stream = openEventStream(request, reply);
    open.add(stream);
    stream.onClose(() => open.delete(stream));
    const send = (alert: ShownAlert): void => {
      const data = JSON.stringify(alertItem(alert, language));
      stream.send({ event: "alert", id: String(alert.id), data });
    };
    stream.onClose(await feed.follow(userId, lastEventId(request), send));
    const check = setInterval(() => {
      callers.signedIn(request).catch(() => request.raw.destroy());
    }, CHECK_SESSION_EVERY_MS).unref();
    stream.onClose(() => clearInterval(check));
    return reply;
  });
}

function readBefore(before: unknown): bigint | null {
  if (before === undefined) return null;
  if (typeof before === "string" && ID_TEXT.test(before)) return BigInt(before);
  throw invalid("invalid_body", "before has to be the id of an alert.");
}

function readLimit(limit: unknown): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  const value = typeof limit === "string" && /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (value >= 1 && value <= LARGEST_LIMIT) return value;
  throw invalid("invalid_body", `limit has to be a number from 1 to ${LARGEST_LIMIT}.`);
}

/** What a browser that lost its connection has seen already; null where it begins. */
function lastEventId({ headers }: FastifyRequest): bigint | null {
  const { "last-event-id": text } = headers;
  return typeof text === "string" && ID_TEXT.test(text) ? BigInt(text) : null;
}
