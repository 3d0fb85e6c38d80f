import type { FastifyReply, FastifyRequest } from "fastify";
import { VARY } from "./conditional.ts";

const HEARTBEAT_MS = 15_000;
/** A reader who has not taken this much off our hands is cut off; it comes back by itself. */
const MAX_UNSENT_BYTES = 256 * 1024;

export type ServerEvent = {
  readonly event: string;
  readonly id?: string;
  /** One line: JSON. */
  readonly data: string;
};

export type EventStream = {
  readonly send: (event: ServerEvent) => void;
  readonly onClose: (listener: () => void) => void;
  /** Ends the stream from our side; a reader that wants more comes back. */
  readonly close: () => void;
};

/**
 * Turns an answer into a stream of server-sent events with a heartbeat, until the reader goes. What
 * is asked by HEAD is over with its headers.
 */
export function openEventStream(request: FastifyRequest, reply: FastifyReply): EventStream {
  reply.hijack();
  const { raw } = reply;
  const headers = reply.getHeaders();
  raw.writeHead(200, {
    ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    vary: VARY,
    "x-accel-buffering": "no",
  });
  // The reader learns that the stream is open before the first event.
  raw.flushHeaders();
  const write = (text: string): void => {
    if (raw.writableEnded || raw.destroyed) return;
    raw.write(text);
    if (raw.writableLength > MAX_UNSENT_BYTES) raw.destroy();
  };
  const heartbeat = setInterval(() => {
    // A reader who left before the stream was open is not told of again.
    if (raw.destroyed) clearInterval(heartbeat);
    else write("event: heartbeat\ndata: {}\n\n");
  }, HEARTBEAT_MS);
  heartbeat.unref();
  const listeners: (() => void)[] = [() => clearInterval(heartbeat)];
  raw.on("close", () => {
    for (const listener of listeners.splice(0)) listener();
  });
  if (request.method === "HEAD") raw.end();
  return {
    send: ({ event, id, data }) => {
      write(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`);
    },
    onClose: (listener) => {
      if (raw.destroyed) listener();
      else listeners.push(listener);
    },
    close: () => {
      raw.end();
    },
  };
}
