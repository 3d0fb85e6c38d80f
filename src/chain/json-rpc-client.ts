import type { NowMs } from "#src/platform/clock.ts";
import { mayPass, RpcFailure } from "./rpc-failure.ts";

export type JsonRpcCall = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** For one attempt. */
  readonly timeoutMs: number;
};

export type JsonRpcClientOptions = {
  readonly url: string;
  readonly nowMs: NowMs;
  /** 0 up to 1: spreads the waits between attempts. */
  readonly random: () => number;
  readonly retry?: RetryPolicy;
  /** Ends every call under way, and refuses new ones, once it aborts. */
  readonly closed?: AbortSignal;
};

export type RetryPolicy = {
  readonly attempts: number;
  /** The wait before attempt n + 1 is this times 2^(n-1), half of it random. */
  readonly firstWaitMs: number;
  /** No wait is longer, whatever Retry-After asks for: then the call fails at once. */
  readonly longestWaitMs: number;
};

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstWaitMs: 150, longestWaitMs: 5_000 };

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_ERROR_TEXT = 300;

export type JsonRpcClient = {
  /**
   * The `result` of a call, passed through `parse`, which throws RpcFailure "garbage" for a wrong
   * shape. Each attempt has a timeout; attempts are few, with waits that grow and vary.
   *
   * @throws RpcFailure of the last attempt; the signal's reason where it aborts
   */
  readonly call: <Result>(
    call: JsonRpcCall,
    parse: (result: unknown) => Result,
    signal?: AbortSignal,
  ) => Promise<Result>;
};

/** JSON-RPC over HTTP POST. Integers above 2^53 lose their last digits: none that we read is so large. */
export function createJsonRpcClient(options: JsonRpcClientOptions): JsonRpcClient {
  const { random, nowMs, retry = DEFAULT_RETRY } = options;
  const endpoint = endpointOf(options.url);
  let lastId = 0;

  async function attempt({ method, params, timeoutMs }: JsonRpcCall, signal?: AbortSignal) {
    signal?.throwIfAborted();
    const id = ++lastId;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(endpoint.url, {
        method: "POST",
        headers: endpoint.headers,
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        redirect: "error",
      });
      const text = await readBounded(response, MAX_ANSWER_BYTES);
      return resultOf(text, id, response, nowMs());
    } catch (error) {
      if (error instanceof RpcFailure) throw error;
      signal?.throwIfAborted();
      if (timeout.aborted) throw new RpcFailure({ kind: "timeout", timeoutMs }, error);
      throw new RpcFailure({ kind: "unreachable" }, error);
    }
  }

  async function call<Result>(
    request: JsonRpcCall,
    parse: (result: unknown) => Result,
    asked?: AbortSignal,
  ): Promise<Result> {
    const signal = either(asked, options.closed);
    for (let made = 1; ; made++) {
      try {
        return parse(await attempt(request, signal));
      } catch (error) {
        if (!(error instanceof RpcFailure) || !mayPass(error) || made >= retry.attempts)
          throw error;
        const waitMs = waitBefore(error, made, retry, random);
        if (waitMs === null) throw error;
        await wait(waitMs, signal);
      }
    }
  }

  return { call };
}

function either(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a === undefined || b === undefined ? (a ?? b) : AbortSignal.any([a, b]);
}

/** Milliseconds until the next attempt, or null where the node asks for more patience than we have. */
function waitBefore(
  { failure }: RpcFailure,
  made: number,
  retry: RetryPolicy,
  random: () => number,
): number | null {
  const grown = Math.min(retry.firstWaitMs * 2 ** (made - 1), retry.longestWaitMs);
  const own = grown * (0.5 + 0.5 * random());
  const asked = failure.kind === "http" ? (failure.retryAfterMs ?? 0) : 0;
  if (asked > retry.longestWaitMs) return null;
  return Math.max(own, asked);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** fetch refuses a URL with a user and password in it: they move to the header that says the same. */
function endpointOf(url: string): { readonly url: string; readonly headers: Headers } {
  const parsed = new URL(url);
  const headers = new Headers({ "content-type": "application/json" });
  if (parsed.username !== "" || parsed.password !== "") {
    const pair = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
    parsed.username = "";
    parsed.password = "";
  }
  return { url: parsed.href, headers };
}

async function readBounded(response: Response, limitBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    // Leaving the loop cancels the body, which closes the connection.
    if (length > limitBytes) throw new RpcFailure({ kind: "too-large", limitBytes });
    parts.push(part);
  }
  return Buffer.concat(parts, length).toString("utf8");
}

/** The answer's `result`. A JSON-RPC error counts more than the HTTP status that it came with. */
function resultOf(text: string, id: number, response: Response, now: number): unknown {
  const answer = parseObject(text);
  const error = answer === null ? null : rpcErrorOf(answer);
  const isRateLimit = response.status === 429;
  if (error !== null && !isRateLimit) throw new RpcFailure({ kind: "rpc-error", ...error });
  if (!response.ok) {
    const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), now);
    throw new RpcFailure({ kind: "http", status: response.status, retryAfterMs });
  }
  if (answer === null) throw new RpcFailure({ kind: "garbage", detail: "no JSON object" });
  if (answer["id"] !== id) throw new RpcFailure({ kind: "garbage", detail: "another id" });
  if (!("result" in answer)) throw new RpcFailure({ kind: "garbage", detail: "no result" });
  return answer["result"];
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    // A proxy's HTML page, or an answer cut short: the caller says so by its status.
    return null;
  }
}

function rpcErrorOf(answer: Record<string, unknown>) {
  const error = answer["error"];
  if (!isRecord(error)) return null;
  const { code, message } = error;
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message.slice(0, MAX_ERROR_TEXT) : "",
  };
}

/** Retry-After is seconds or a date; null where it is neither. */
function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
