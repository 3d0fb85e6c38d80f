import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from "node:http2";
import { reasonOf } from "#src/platform/failure-log.ts";
import { GrpcFrames, grpcFrame } from "./grpc-frames.ts";

export type GrpcCallOptions = {
  /** Of the server; its path is not used. */
  readonly url: string;
  /** Of the method, as in `/package.Service/Method`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type GrpcCallEvents = {
  /** A message, at [start, end) of the bytes. If it throws, the call ends. */
  readonly onMessage: (bytes: Buffer, start: number, end: number) => void;
  /** The call ended, and its connection with it. The reason begins with the gRPC status, if the server sent one. */
  readonly onEnd: (reason: string) => void;
};

const STATUS_OK = "0";
const HTTP_OK = 200;
const ENDED = "the stream ended";
const STATUS_NAMES = [
  ...["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND"],
  ...["ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION"],
  ...["ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"],
  "UNAUTHENTICATED",
] as const;
/** How much the server may send before we confirm it: with the default of 64 KiB a distant server waits often. */
const WINDOW_BYTES = 8 * 1024 * 1024;

/**
 * One call of a gRPC method whose requests and responses are streams, over a connection of its own: no call waits for
 * another's messages. Messages are bytes to it, and it accepts no compression. Written on
 * Node's HTTP/2: see decision 128.
 */
export class GrpcCall {
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #accepted = Promise.withResolvers<void>();
  #events: GrpcCallEvents | null = null;
  /** What the server's status says; null: it sent none. */
  #status: string | null = null;
  /** Why the call ended; null: it has not. */
  #reason: string | null = null;

  private constructor({ url, path, headers }: GrpcCallOptions) {
    this.#session = connect(new URL(url).origin, {
      settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
      // Megabytes, of which a burst may take many.
      maxSessionMemory: Number.MAX_SAFE_INTEGER,
    });
    this.#session.on("connect", () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(WINDOW_BYTES);
    });
    this.#session.on("error", (error) => this.#end(reasonOf(error)));
    this.#session.on("close", () => this.#end("the connection was closed"));
    this.#stream = this.#session.request({
      ...{ ":method": "POST", ":path": path, te: "trailers" },
      ...{ "content-type": "application/grpc", "grpc-accept-encoding": "identity" },
      ...headers,
    });
    this.#stream.on("response", (response) => this.#receiveHeaders(response));
    this.#stream.on("trailers", (trailers) => this.#noteStatus(trailers));
    // All messages before the end have been read by then. Our own half of the stream stays open.
    this.#stream.on("end", () => this.#end(this.#status ?? ENDED));
    // An attempt that fails cancels the stream: what happened is the cause.
    this.#stream.on("error", (error) => this.#end(this.#status ?? reasonOf(error.cause ?? error)));
    this.#stream.on("close", () => this.#end(this.#status ?? "the stream was closed"));
  }

  /**
   * Begins a call with its first message.
   *
   * @returns once the server has accepted it, by sending headers
   * @throws Error if it refuses it, can't be reached, or the signal is aborted
   */
  static async open(
    options: GrpcCallOptions,
    message: Uint8Array,
    signal: AbortSignal,
  ): Promise<GrpcCall> {
    const call = new GrpcCall(options);
    const abort = (): void => call.#end("the attempt was given up");
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    else call.send(message);
    await call.#accepted.promise.finally(() => signal.removeEventListener("abort", abort));
    return call;
  }

  /** Begins to deliver messages and the end. To be called once, in the turn in which the call was opened. */
  listen(events: GrpcCallEvents): void {
    this.#events = events;
    const frames = new GrpcFrames((bytes, start, end) =>
      this.#events?.onMessage(bytes, start, end),
    );
    this.#stream.on("data", (chunk: Buffer) => {
      try {
        frames.add(chunk);
      } catch (error) {
        this.#end(`a message could not be read: ${reasonOf(error)}`);
      }
    });
    if (this.#reason !== null) queueMicrotask(() => this.#report());
  }

  send(message: Uint8Array): void {
    if (this.#reason === null) this.#stream.write(grpcFrame(message));
  }

  /** Ends the call and its connection; no event comes after it. */
  cancel(): void {
    this.#events = null;
    this.#end("the call was cancelled");
  }

  #receiveHeaders(headers: IncomingHttpHeaders): void {
    const httpStatus = Number(headers[":status"]);
    this.#noteStatus(headers);
    if (httpStatus !== HTTP_OK) this.#end(this.#status ?? `HTTP status ${httpStatus}`);
    else if (this.#status !== null) this.#end(this.#status);
    else this.#accepted.resolve();
  }

  #noteStatus({ "grpc-status": status, "grpc-message": message }: IncomingHttpHeaders): void {
    if (typeof status !== "string") return;
    const text = typeof message === "string" ? decodePercents(message) : "";
    const name = STATUS_NAMES[Number(status)] ?? "UNKNOWN";
    this.#status = status === STATUS_OK ? ENDED : `${status} ${name}: ${text}`;
  }

  #end(reason: string): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    this.#session.destroy();
    this.#accepted.reject(new Error(reason));
    this.#report();
  }

  #report(): void {
    const events = this.#events;
    this.#events = null;
    if (this.#reason !== null) events?.onEnd(this.#reason);
  }
}

/** A status message is percent-encoded. */
function decodePercents(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
