import type { BatchItem, Exitability, Operations } from "./api-types.ts";
import { type Opened, open, type Service } from "./connection.ts";
import { type EventFrame, EventFrames } from "./event-frames.ts";
import { ExitabilityError } from "./exitability-error.ts";
import { aborted, delayMs, isPassing, type Patience, wait } from "./patience.ts";
import { isRecord, parsed } from "./refusal.ts";

/** A connection that is open for less than this, or never, counts as one more consecutive failure. */
const STEADY_MS = 10_000;
const HEARTBEAT_TIMEOUT_MS = 45_000;

/** A token's outcome, as in a batch. */
type TokenOutcome = Omit<BatchItem, "within_cost">;

export type StreamEvent =
  /** A token's newest answer. After an interruption the same answer may be repeated. */
  | { readonly type: "exitability"; readonly exitability: Exitability }
  /**
   * A token without an answer, and the reason. With status 500 or 503 its answers follow as soon as there
   * are any; with another status the next event for it may come when the stream is reopened.
   */
  | { readonly type: "unavailable"; readonly outcome: TokenOutcome }
  /** The connection is lost: earlier answers become stale until the next event. */
  | { readonly type: "interrupted"; readonly error: ExitabilityError; readonly retryInMs: number };

export type StreamOptions = Omit<Operations["streamMany"]["query"], "mints"> & {
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds without a byte after which the client reconnects. The service sends a heartbeat every
   * 15 s. Default 45,000.
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
 * Follows a stream without end: it reconnects and resumes whenever the stream ends or breaks. Until
 * the first connection it makes as many attempts as any request.
 *
 * @throws ExitabilityError if the caller's signal aborts it, the failure is permanent, or the service asks for a
 *   longer wait than `maxWaitMs`
 */
export async function* follow(following: Following): AsyncGenerator<StreamEvent, void, undefined> {
  const { service, patience, path, signal } = following;
  const place = { lastEventId: "", wasOpen: false };
  let failures = 0;
  for (;;) {
    let openedMs = Number.POSITIVE_INFINITY;
    try {
      const opened = await open(service, { method: "GET", path, headers: resuming(place), signal });
      openedMs = performance.now();
      place.wasOpen = true;
      yield* eventsOf(opened, following, place);
      throw new ExitabilityError("network_error", "The stream ended.");
    } catch (error) {
      if (!(error instanceof ExitabilityError)) throw error;
      failures = performance.now() - openedMs > STEADY_MS ? 1 : failures + 1;
      const retryInMs = delayMs(error, failures, patience.baseDelayMs);
      const isTemporary = isPassing(error) || isBrokenStream(error);
      const isExhausted = !place.wasOpen && failures >= patience.attempts;
      // Of a stream that was open, the client's own growing waits are not limited: an outage may be longer.
      const limitedMs = place.wasOpen ? (error.retryAfterSeconds ?? 0) * 1_000 : retryInMs;
      if (!isTemporary || isExhausted || limitedMs > patience.maxWaitMs) throw error;
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
  const frames = new EventFrames(place.lastEventId);
  const decoder = new TextDecoder();
  try {
    const reader = readerOf(response);
    for (;;) {
      // The timeout covers waiting for the network, not the caller's own work.
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
  throw new ExitabilityError("bad_answer", "The answer is not an event stream.", { status });
}

/** Null for a heartbeat, and for event types that this client does not know. */
function eventOf({ event, data }: EventFrame): StreamEvent | null {
  if (event !== "exitability" && event !== "unavailable") return null;
  const body = parsed(data);
  if (!isRecord(body) || typeof body["token_id"] !== "string") throw brokenStream();
  return event === "exitability"
    ? { type: event, exitability: body as Exitability }
    : { type: event, outcome: body as TokenOutcome };
}

/** The bytes were damaged in transit: a new connection may fix it. */
function brokenStream(): ExitabilityError {
  return new ExitabilityError(
    "bad_answer",
    "The stream contains an event that the service does not send.",
  );
}

function isBrokenStream({ code, status }: ExitabilityError): boolean {
  return code === "bad_answer" && status === null;
}
