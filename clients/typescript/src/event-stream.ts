import type { Exitability, Operations, TokenOutcome } from "./api-types.ts";
import { type Opened, open, type Service } from "./connection.ts";
import { type EventFrame, EventFrames } from "./event-frames.ts";
import { ExitabilityError } from "./exitability-error.ts";
import { aborted, delayMs, isPassing, type Patience, wait } from "./patience.ts";
import { isRecord, parsed } from "./refusal.ts";

/** A connection that broke off sooner counts as one more failure in a row. */
const STEADY_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 45_000;

export type StreamEvent =
  /** A token's newest answer. After an interruption the same one may come again. */
  | { readonly type: "exitability"; readonly exitability: Exitability }
  /**
   * A token that has no answer, and why. With status 503 its answers follow as soon as there are any;
   * with another it is told of again, if at all, when the stream is opened anew.
   */
  | { readonly type: "unavailable"; readonly outcome: TokenOutcome }
  /** The connection is lost: what was told before grows old, until the next event. */
  | { readonly type: "interrupted"; readonly error: ExitabilityError; readonly retryInMs: number };

export type StreamOptions = Omit<Operations["streamMany"]["query"], "mints"> & {
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds without a byte after which the connection is given up and made anew. The service
   * sends a heartbeat every 15 s. Default 45,000.
   */
  readonly heartbeatTimeoutMs?: number | undefined;
};

export type Following = {
  readonly service: Service;
  readonly patience: Patience;
  /** With the query. */
  readonly path: string;
  readonly heartbeatTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Follows a stream for ever: whenever it ends or breaks off it comes back, from where it was. Before
 * it was ever open, it tries as often as a question does.
 *
 * @throws ExitabilityError where the caller's signal ends it, and where waiting mends nothing
 */
export async function* follow(following: Following): AsyncGenerator<StreamEvent, void, undefined> {
  const { service, patience, path, signal } = following;
  const place = { lastEventId: "", wasOpen: false };
  let failures = 0;
  for (;;) {
    const beganMs = performance.now();
    try {
      const opened = await open(service, { method: "GET", path, headers: resuming(place), signal });
      place.wasOpen = true;
      yield* eventsOf(opened, following, place);
      throw new ExitabilityError("network_error", "The stream ended.");
    } catch (error) {
      if (!(error instanceof ExitabilityError)) throw error;
      failures = performance.now() - beganMs > STEADY_MS ? 1 : failures + 1;
      const retryInMs = delayMs(error, failures, patience.baseDelayMs);
      const isMendable = isPassing(error) || isBrokenStream(error);
      const isHopeless = !place.wasOpen && failures >= patience.attempts;
      if (!isMendable || isHopeless || retryInMs > patience.maxWaitMs) throw error;
      yield { type: "interrupted", error, retryInMs };
      await wait(retryInMs, signal);
    }
  }
}

function resuming({ lastEventId }: { readonly lastEventId: string }) {
  const accept = { accept: "text/event-stream" };
  return lastEventId === "" ? accept : { ...accept, "last-event-id": lastEventId };
}

async function* eventsOf(
  opened: Opened,
  { heartbeatTimeoutMs = HEARTBEAT_TIMEOUT_MS, signal }: Following,
  place: { lastEventId: string },
): AsyncGenerator<StreamEvent, void, undefined> {
  const { response, expectWithin, close, failure } = opened;
  const frames = new EventFrames();
  const decoder = new TextDecoder();
  try {
    const reader = readerOf(response);
    for (;;) {
      // The time runs while the network is waited for, and not while the caller works.
      expectWithin(heartbeatTimeoutMs);
      const { value, done } = await reader.read();
      expectWithin(null);
      if (done) return;
      for (const frame of frames.push(decoder.decode(value, { stream: true }))) {
        const event = eventOf(frame);
        place.lastEventId = frame.id;
        if (event !== null) yield event;
        if (signal?.aborted === true) throw aborted(signal);
      }
    }
  } catch (cause) {
    throw cause instanceof RangeError ? brokenStream() : failure(cause);
  } finally {
    close();
  }
}

function readerOf({ body, headers, status }: Response) {
  const isEventStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (body !== null && isEventStream) return body.getReader();
  throw new ExitabilityError("bad_answer", "The answer is no event stream.", { status });
}

/** Null for a heartbeat, and for kinds of events that are newer than this client. */
function eventOf({ event, data }: EventFrame): StreamEvent | null {
  if (event !== "exitability" && event !== "unavailable") return null;
  const body = parsed(data);
  if (!isRecord(body) || typeof body["token_id"] !== "string") throw brokenStream();
  return event === "exitability"
    ? { type: event, exitability: body as Exitability }
    : { type: event, outcome: body as TokenOutcome };
}

/** The bytes were damaged on the way: another connection brings others. */
function brokenStream(): ExitabilityError {
  return new ExitabilityError("bad_answer", "What came is none of the service's events.");
}

function isBrokenStream({ code, status }: ExitabilityError): boolean {
  return code === "bad_answer" && status === null;
}
