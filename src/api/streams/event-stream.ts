import type { FastifyReply, FastifyRequest } from "fastify";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { Poller } from "#src/platform/poller.ts";
import type { Caller, UserCaller } from "#src/users/caller.ts";
import { VARY } from "../plugins/conditional.ts";

const HEARTBEAT_MS = 15_000;
/** A client with this much unsent data is disconnected; it reconnects. */
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
  /** Ends the stream; the reader may reconnect. */
  readonly close: () => void;
};

type StreamOwner = {
  readonly request: FastifyRequest;
  readonly caller: Caller;
};

/** Whether the key or session that the caller of an earlier request was identified by is still valid. */
type AccessCheck = (request: FastifyRequest, caller: UserCaller) => Promise<boolean>;

/** Longer than a stream takes to open: its first answer may have to be loaded. */
const OPENED_WITHIN_MS = 60_000;
const REMEMBERED_USERS = 1_000;
/** A stream ends within this time after its key or session. */
const CHECK_ACCESS_EVERY_MS = 30_000;

/** All open streams: closing the app closes them. */
export class EventStreams {
  readonly #open = new Map<EventStream, StreamOwner>();
  readonly #isValid: AccessCheck;
  /** When the access of users changed, by the monotonic clock. */
  readonly #changedAtMs = new BoundedMap<string, number>(REMEMBERED_USERS);
  readonly #accessChecks = new Poller({
    run: () => this.#checkAccess(),
    everyMs: CHECK_ACCESS_EVERY_MS,
    failures: null,
  });

  constructor(isValid: AccessCheck) {
    this.#isValid = isValid;
    this.#accessChecks.start();
  }

  open(request: FastifyRequest, reply: FastifyReply, caller: Caller): EventStream {
    const stream = openEventStream(request, reply);
    this.#open.set(stream, { request, caller });
    stream.onClose(() => this.#open.delete(stream));
    if (caller.kind === "anonymous") return stream;
    const changedAtMs = this.#changedAtMs.get(caller.userId) ?? Number.NEGATIVE_INFINITY;
    // The change may have come while the stream was about to open.
    if (performance.now() - changedAtMs < OPENED_WITHIN_MS)
      void this.#recheck(stream, request, caller);
    return stream;
  }

  /** The open streams of a user on the route of this request. */
  countOf(userId: UserCaller["userId"], { routeOptions }: FastifyRequest): number {
    return this.#open
      .values()
      .filter(({ caller }) => caller.kind === "user" && caller.userId === userId)
      .filter(({ request }) => request.routeOptions.url === routeOptions.url)
      .reduce((sum) => sum + 1, 0);
  }

  /** The access of a user changed: closes the streams whose key or session is not valid any more. */
  async recheck(userId: UserCaller["userId"]): Promise<void> {
    this.#changedAtMs.set(userId, performance.now());
    for (const [stream, { request, caller }] of this.#open)
      if (caller.kind === "user" && caller.userId === userId)
        await this.#recheck(stream, request, caller);
  }

  async #recheck(stream: EventStream, request: FastifyRequest, caller: UserCaller): Promise<void> {
    if (!(await this.#isValid(request, caller).catch(() => false))) stream.close();
  }

  /** Keys and sessions also end by time, without a change of their user's access. */
  async #checkAccess(): Promise<void> {
    for (const [stream, { request, caller }] of this.#open) {
      if (caller.kind === "anonymous") continue;
      // Where it can't be read now, as while the database is away, the next check decides.
      if (!(await this.#isValid(request, caller).catch(() => true))) stream.close();
    }
  }

  close(): void {
    this.#accessChecks.stop();
    for (const stream of this.#open.keys()) stream.close();
  }
}

/**
 * Turns an answer into a stream of server-sent events with a heartbeat, until the reader disconnects.
 * The answer to a HEAD request ends after its headers.
 */
function openEventStream(request: FastifyRequest, reply: FastifyReply): EventStream {
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
  // The reader gets the headers before the first event.
  raw.flushHeaders();
  const write = (text: string): void => {
    if (raw.writableEnded || raw.destroyed) return;
    raw.write(text);
    if (raw.writableLength > MAX_UNSENT_BYTES) raw.destroy();
  };
  const heartbeat = setInterval(() => {
    // The close event of a reader that left before the stream was open has passed already.
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
