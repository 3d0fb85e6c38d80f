import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { alertItem } from "#src/alerts/delivery/alert-item.ts";
import { AppError } from "#src/platform/app-error.ts";
import { LANGUAGE_HEADER } from "../measuring/token-question.ts";
import { defineOperation } from "../operation.ts";

/** Streams of alerts that one user may have open at once. */
const MOST_STREAMS = 10;
/** Another of them may end at any time; a lost reader is noticed in about this time. */
const STREAM_MAY_END_SECONDS = 60;

export const streamAlerts = defineOperation({
  method: "get",
  path: "/api/account/alerts/stream",
  id: "streamAlerts",
  tag: "watchlist",
  summary: "Each new alert, as it happens",
  description:
    "Event alert: one item of the feed; its id is the alert's. Last-Event-ID resumes after the last alert received. Event heartbeat every 15 seconds.",
  headers: [LANGUAGE_HEADER],
  access: "session",
  responses: {
    200: {
      description: "A stream without end",
      schema: Type.String({ description: "Server-sent events" }),
      example: `event: alert\nid: 7\ndata: {"id":"7","mint":"…"}\n\n`,
      contentType: "text/event-stream",
    },
  },
  errors: ["unauthorized", "rate_limit_exceeded"],
  async handler({ caller, language, request, reply }, { feed, streams }) {
    const { userId } = caller;
    if (streams.countOf(userId, request) >= MOST_STREAMS) {
      reply.header("retry-after", STREAM_MAY_END_SECONDS);
      throw new AppError("rate_limit_exceeded", {
        publicMessage: `You have ${MOST_STREAMS} streams of alerts open; close one first.`,
      });
    }
    const stream = streams.open(request, reply, caller);
    const following = feed.follow(userId, lastEventId(request), (alert) => {
      const data = JSON.stringify(alertItem(alert, language));
      stream.send({ event: "alert", id: String(alert.id), data });
    });
    // An open stream without a follower would send heartbeats and no alerts: its reader has to reconnect.
    const stop = await following.catch((error: unknown) => {
      stream.close();
      throw error;
    });
    stream.onClose(stop);
    return {};
  },
});

/** The last alert that a reconnecting browser has received; null for a new stream. */
function lastEventId({ headers }: FastifyRequest): bigint | null {
  const { "last-event-id": text } = headers;
  return typeof text === "string" && /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}
