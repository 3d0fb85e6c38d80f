import { ExitabilityError } from "./exitability-error.ts";
import { aborted, LONGEST_TIMER_MS } from "./patience.ts";
import { refusalOf } from "./refusal.ts";

const TIMEOUT_MS = 30_000;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Sending = {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of an answer that takes longer than others, unless the caller has set a timeout. */
  readonly timeoutMs?: number | undefined;
};

/** The service's URL and what all requests to it share. */
export type Service = {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  /** As the caller set it. */
  readonly timeoutMs: number | undefined;
};

/** An answer whose body is not read yet, with its timeout. */
export type Opened = {
  readonly response: Response;
  /** Restarts the timeout for the next bytes; null: no timeout. */
  readonly expectWithin: (ms: number | null) => void;
  /** Stops the timer and, unless the answer was read completely, closes the connection. */
  readonly close: () => void;
  /** The error for a failed read: aborted, timeout or network_error. */
  readonly failure: (cause: unknown) => ExitabilityError;
};

/**
 * Sends a request once, and returns when its answer begins. One timer covers sending and reading.
 *
 * @throws ExitabilityError if the status is not 2xx or there is no answer
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
    if (ms === null || ms > LONGEST_TIMER_MS) return;
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
      ? new ExitabilityError("timeout", "The service did not answer in time.", { cause })
      : new ExitabilityError("network_error", "The service cannot be reached.", { cause });
  };
  expectWithin(service.timeoutMs ?? sending.timeoutMs ?? TIMEOUT_MS);
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
      // Sends no cookies. Some workers' fetch does not support the option.
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
