import { ExitabilityError } from "./exitability-error.ts";
import { aborted } from "./patience.ts";
import { refusalOf } from "./refusal.ts";

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Sending = {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
};

/** Where the service is, and what every request to it has in common. */
export type Service = {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
};

/** An answer whose body is still to be read, and what limits the reading. */
export type Opened = {
  readonly response: Response;
  /** Starts the time anew in which something has to come; null: as long as it takes. */
  readonly expectWithin: (ms: number | null) => void;
  /** Ends the timer and, where the answer was not read whole, the connection. */
  readonly close: () => void;
  /** What a failed read means: the caller's signal, the time, or the network. */
  readonly failure: (cause: unknown) => ExitabilityError;
};

/**
 * Sends a request once, and returns when its answer begins. One timer covers sending and reading.
 *
 * @throws ExitabilityError for every answer that is not 2xx, and where none came
 */
export async function open(service: Service, sending: Sending): Promise<Opened> {
  const { method, path, body, signal } = sending;
  if (signal?.aborted === true) throw aborted(signal);
  const abort = new AbortController();
  const stop = () => abort.abort();
  signal?.addEventListener("abort", stop, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  const expectWithin = (ms: number | null) => {
    clearTimeout(timer);
    if (ms === null) return;
    timer = setTimeout(() => {
      isLate = true;
      abort.abort();
    }, ms);
  };
  const close = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    abort.abort();
  };
  const failure = (cause: unknown): ExitabilityError => {
    if (cause instanceof ExitabilityError) return cause;
    if (signal?.aborted === true) return aborted(signal);
    return isLate
      ? new ExitabilityError("timeout", "Nothing came from the service in time.", { cause })
      : new ExitabilityError("network_error", "The service can't be reached.", { cause });
  };
  expectWithin(service.timeoutMs);
  try {
    const response = await service.fetch(service.baseUrl + path, {
      method,
      headers: {
        ...service.headers,
        ...sending.headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      // Not every worker's fetch takes it; where it is taken, no cookie goes along.
      ...("credentials" in Request.prototype ? { credentials: "omit" } : {}),
      signal: abort.signal,
    });
    if (!response.ok) throw await refusalOf(response);
    return { response, expectWithin, close, failure };
  } catch (cause) {
    close();
    throw failure(cause);
  }
}
