import { backOffMs } from "#src/platform/back-off.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { FailureLog } from "#src/platform/failure-log.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import { type CallPacer, wait } from "./call-pacer.ts";
import { outcomeOf, type RpcCalls } from "./rpc-calls.ts";
import { type Endpoint, endpointOf } from "./rpc-endpoint.ts";
import {
  isBrokenRead,
  isNodeFailure,
  isRateLimit,
  mayPass,
  RpcFailure,
  retryAfterOf,
} from "./rpc-failure.ts";

export type JsonRpcCall = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** For one attempt. */
  readonly timeoutMs: number;
  /** No attempt begins later than this after the first; unlimited by default. */
  readonly deadlineMs?: number;
  /**
   * Given: an endpoint that answers other calls may not answer this one. It goes to another one than these, if another
   * answers. An endpoint that fails it is added, and used for other calls as before; a timeout is not repeated.
   */
  readonly except?: Set<Endpoint>;
  /** Called before each attempt with the endpoint that it is sent to. */
  readonly onAttempt?: (endpoint: Endpoint) => void;
  /** Called with each endpoint that is added to `except`, and why. */
  readonly onLeft?: (endpoint: Endpoint, error: RpcFailure) => void;
  /** Spaces the calls of this kind. */
  readonly pacer?: CallPacer;
  /**
   * True: the caller waited for the turn of the first attempt, and repeats a call that is refused
   * because of its rate itself.
   */
  readonly isPacedByCaller?: boolean;
};

export type JsonRpcClientOptions = {
  /** The first is preferred; the others are used while it gives no answer, or no valid one. */
  readonly urls: readonly [string, ...string[]];
  readonly clock: WallClock;
  /** 0 up to 1: spreads the waits between attempts. */
  readonly random: () => number;
  readonly retry?: RetryPolicy;
  /** Once it aborts, running calls end and new ones are refused. */
  readonly closed?: AbortSignal;
  /** Gets each call that failed although it might have succeeded; a reply of any kind ends the failing. */
  readonly failures?: FailureLog;
  readonly calls?: RpcCalls;
  /** An endpoint is not used any more, because its chain is not `expected`. */
  readonly onForeign?: (endpoint: Endpoint, expected: string) => void;
};

export type RetryPolicy = {
  readonly attempts: number;
  /** The wait before the second attempt; it doubles with each further one, and half of it is random. */
  readonly firstWaitMs: number;
  /** No wait is longer: a call whose Retry-After asks for more fails at once. */
  readonly longestWaitMs: number;
};

const DEFAULT_RETRY: RetryPolicy = { attempts: 4, firstWaitMs: 150, longestWaitMs: 5_000 };

const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_ERROR_TEXT = 300;
/** An endpoint that did not answer is used again after so long, or if no other answers either. */
const AVOIDED_FOR_MS = 10_000;
/** An endpoint that has refused every read because of its rate for so long is out of calls. */
const LIMITED_FOR_MS = 5_000;
const GENESIS_TIMEOUT_MS = 5_000;
/** An endpoint that answers other calls and does not state its chain is asked for it again after so long. */
const ASK_CHAIN_AGAIN_MS = 60_000;
const ACCOUNT_READ = "getMultipleAccounts";
const NONE: ReadonlySet<Endpoint> = new Set();

export type JsonRpcClient = {
  /**
   * The `result` of a call, passed through `parse` with the endpoint that answered, which throws RpcFailure
   * "malformed" for a wrong shape. Each attempt has a timeout; failed attempts are repeated a few times with growing waits.
   *
   * @throws RpcFailure of the last attempt; the signal's reason if it aborts
   */
  readonly call: <Result>(
    call: JsonRpcCall,
    parse: (result: unknown, endpoint: Endpoint) => Result,
    signal?: AbortSignal,
  ) => Promise<Result>;
  /**
   * The genesis hash of each endpoint, by its place in `urls`; null: unknown. From then on an endpoint of another
   * chain than the first one's is not used. While the first one has not stated its chain, that of the first that did
   * counts. One that did not answer is asked again before its first reply is used.
   */
  readonly compareChains: () => Promise<readonly (string | null)[]>;
  /** An endpoint that answered is not used for a while if there is another. */
  readonly avoid: (endpoint: Endpoint) => void;
  /** The same if another has not failed lately. */
  readonly preferOther: (endpoint: Endpoint) => void;
  /** The endpoint that the next call is sent to; one of `except` only if no other answers. */
  readonly inUse: (except?: ReadonlySet<Endpoint>) => Endpoint;
  /** The caller no longer repeats a refused call. */
  readonly gaveUp: (error: RpcFailure, method: string) => void;
};

/** JSON-RPC over HTTP POST. Integers above 2^53 lose their last digits; no integer that we read is so large. */
export function createJsonRpcClient(options: JsonRpcClientOptions): JsonRpcClient {
  const { random, clock, retry = DEFAULT_RETRY } = options;
  const [firstUrl, ...otherUrls] = options.urls;
  const first = endpointOf(firstUrl);
  const endpoints = [first, ...otherUrls.map(endpointOf)];
  let lastId = 0;
  /** The chain of all endpoints that are used; null: not known yet. */
  let chain: string | null = null;
  /** Since the first comparison, where there are several endpoints. */
  let isComparing = false;

  function endpointNow(except: ReadonlySet<Endpoint> = NONE): Endpoint {
    const atMs = performance.now();
    const usable = endpoints.filter(({ isForeign }) => !isForeign);
    const answering = usable.filter(({ avoidedUntilMs }) => avoidedUntilMs <= atMs);
    return (
      answering.find((endpoint) => !except.has(endpoint)) ??
      answering[0] ??
      usable.toSorted((a, b) => a.avoidedUntilMs - b.avoidedUntilMs)[0] ??
      first
    );
  }

  async function attempt(
    { method, params, timeoutMs }: JsonRpcCall,
    endpoint: Endpoint,
    signal?: AbortSignal,
  ): Promise<unknown> {
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
      return resultOf(text, id, response, clock.nowMs());
    } catch (error) {
      if (error instanceof RpcFailure) throw error;
      signal?.throwIfAborted();
      if (timeout.aborted) throw new RpcFailure({ kind: "timeout", timeoutMs }, error);
      throw new RpcFailure({ kind: "unreachable" }, error);
    }
  }

  async function call<Result>(
    request: JsonRpcCall,
    parse: (result: unknown, endpoint: Endpoint) => Result,
    asked?: AbortSignal,
  ): Promise<Result> {
    const signal = either(asked, options.closed);
    const { method, pacer, isPacedByCaller = false, deadlineMs = Infinity } = request;
    const startedMs = performance.now();
    for (let made = 1; ; made++) {
      if (made > 1 || !isPacedByCaller) await pacer?.turn(signal);
      const endpoint = endpointNow(request.except);
      request.onAttempt?.(endpoint);
      const sentMs = performance.now();
      try {
        const result = parse(await attempt(request, endpoint, signal), endpoint);
        if (!(await isOfChain(endpoint))) continue;
        endpoint.limited = null;
        options.calls?.count(method, "ok");
        options.failures?.succeeded();
        pacer?.succeeded(performance.now() - sentMs);
        return result;
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        options.calls?.count(method, outcomeOf(error));
        const isBroken =
          method === ACCOUNT_READ && (isBrokenRead(error) || isOutOfCalls(error, endpoint));
        const isFailed = isNodeFailure(error);
        const { except } = request;
        if (isFailed && error.failure.kind !== "unreachable" && except !== undefined) {
          except.add(endpoint);
          request.onLeft?.(endpoint, error);
        } else if (isFailed || isBroken) avoid(endpoint);
        const spentMs = performance.now() - startedMs;
        const isInTime = made < retry.attempts && spentMs <= deadlineMs;
        const isLeft = isBroken && hasOther(endpoint);
        if (isLeft && pacer !== undefined) forgetRateOf(endpoint, pacer);
        if (isLeft && isInTime) continue;
        if (isRateLimit(error)) {
          if (!isLeft) pacer?.limited(retryAfterOf(error));
          if (isPacedByCaller) throw error;
        }
        const waitMs = waitBefore(error, request, { made, spentMs, retry, random });
        if (waitMs === null) {
          if (isBroken || mayPass(error)) gaveUp(error, method);
          else options.failures?.succeeded();
          throw error;
        }
        await wait(waitMs, signal);
      }
    }
  }

  /** Providers answer 429 to all calls once a plan's credits are used up, as they do for a moment at a rate. */
  function isOutOfCalls(error: RpcFailure, endpoint: Endpoint): boolean {
    if (!isRateLimit(error)) return false;
    const nowMs = performance.now();
    endpoint.limited ??= { sinceMs: nowMs, forgottenBy: new Set() };
    const isLong = nowMs - endpoint.limited.sinceMs >= LIMITED_FOR_MS;
    return isLong || (retryAfterOf(error) ?? 0) > retry.longestWaitMs;
  }

  /** What the refusals of an endpoint taught a pacer does not hold for another one; once, not with each later refusal. */
  function forgetRateOf({ limited }: Endpoint, pacer: CallPacer): void {
    if (limited === null || limited.forgottenBy.has(pacer)) return;
    limited.forgottenBy.add(pacer);
    pacer.forgetRate();
  }

  function gaveUp(error: RpcFailure, method: string): void {
    options.failures?.failed(error, { method });
  }

  /** Whether another endpoint is in use now that has not failed lately itself. */
  function hasOther(endpoint: Endpoint): boolean {
    const other = endpointNow();
    return other !== endpoint && other.avoidedUntilMs <= performance.now();
  }

  function preferOther(endpoint: Endpoint): void {
    const nowMs = performance.now();
    const isUsable = (other: Endpoint): boolean =>
      other !== endpoint && !other.isForeign && other.avoidedUntilMs <= nowMs;
    if (endpoints.some(isUsable)) avoid(endpoint);
  }

  function avoid(endpoint: Endpoint): void {
    endpoint.avoidedUntilMs = performance.now() + AVOIDED_FOR_MS;
  }

  async function compareChains(): Promise<readonly (string | null)[]> {
    const hashes = await Promise.all(endpoints.map(genesisOf));
    isComparing = endpoints.length > 1;
    for (const [place, endpoint] of endpoints.entries())
      judgeChain(endpoint, hashes[place] ?? null);
    return hashes;
  }

  /**
   * Whether the endpoint's replies are used. One that answers and did not state its chain yet is asked for it, the
   * first time before its reply is used: if it keeps silent, its replies do not wait for it again.
   */
  async function isOfChain(endpoint: Endpoint): Promise<boolean> {
    const isDue = isComparing && endpoint.genesis === null;
    if (isDue && performance.now() >= endpoint.askChainAtMs) {
      endpoint.askingChain ??= genesisOf(endpoint).then((genesis) => {
        judgeChain(endpoint, genesis);
        endpoint.askChainAtMs = performance.now() + ASK_CHAIN_AGAIN_MS;
        endpoint.askingChain = null;
      });
      if (endpoint.askChainAtMs === 0) await endpoint.askingChain;
    }
    return !endpoint.isForeign;
  }

  function genesisOf(endpoint: Endpoint): Promise<string | null> {
    const request = { method: "getGenesisHash", params: [], timeoutMs: GENESIS_TIMEOUT_MS };
    return attempt(request, endpoint, options.closed).then(
      (hash) => (typeof hash === "string" ? hash : null),
      () => null,
    );
  }

  function judgeChain(endpoint: Endpoint, genesis: string | null): void {
    if (genesis === null || endpoint.genesis !== null) return;
    endpoint.genesis = genesis;
    // The first endpoint is the one that is subscribed to: its chain counts, also if it states it last.
    chain = first.genesis ?? chain ?? genesis;
    for (const one of endpoints) {
      const wasForeign = one.isForeign;
      one.isForeign = one.genesis !== null && one.genesis !== chain;
      if (one.isForeign && !wasForeign) options.onForeign?.(one, chain);
    }
  }

  return { call, compareChains, avoid, preferOther, inUse: endpointNow, gaveUp };
}

function either(a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined {
  return a === undefined || b === undefined ? (a ?? b) : AbortSignal.any([a, b]);
}

/** Milliseconds until the next attempt; null: the call can't succeed, or the node asks for a longer wait. */
function waitBefore(
  error: RpcFailure,
  { pacer, deadlineMs = Number.POSITIVE_INFINITY, except }: JsonRpcCall,
  attempts: {
    readonly made: number;
    readonly spentMs: number;
    readonly retry: RetryPolicy;
    readonly random: () => number;
  },
): number | null {
  if (!mayPass(error)) return null;
  const { made, spentMs, retry, random } = attempts;
  const { kind } = error.failure;
  if (kind === "timeout" && except !== undefined) return null;
  const asked = retryAfterOf(error) ?? 0;
  if (asked > retry.longestWaitMs) return null;
  // The pacer spaces refused calls out: they may be repeated until the deadline.
  const isPaced = pacer !== undefined && isRateLimit(error) && Number.isFinite(deadlineMs);
  if (!isPaced && made >= retry.attempts) return null;
  const { firstWaitMs: firstMs, longestWaitMs: longestMs } = retry;
  const own = backOffMs({ firstMs, longestMs, random }, isPaced ? 1 : made);
  const waitMs = Math.max(own, asked);
  return spentMs + waitMs > deadlineMs ? null : waitMs;
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

/** The reply's `result`. A JSON-RPC error takes precedence over the HTTP status. */
function resultOf(text: string, id: number, response: Response, now: number): unknown {
  const answer = parseObject(text);
  const error = answer === null ? null : rpcErrorOf(answer);
  const { status } = response;
  if (error !== null && status !== 429)
    throw new RpcFailure({ kind: "rpc-error", ...error, status });
  if (!response.ok) {
    const retryAfterMs = parseRetryAfter(response.headers.get("retry-after"), now);
    throw new RpcFailure({ kind: "http", status, retryAfterMs });
  }
  if (answer === null) throw new RpcFailure({ kind: "malformed", detail: "not a JSON object" });
  if (answer["id"] !== id) throw new RpcFailure({ kind: "malformed", detail: "another id" });
  if (!("result" in answer)) throw new RpcFailure({ kind: "malformed", detail: "no result" });
  return answer["result"];
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    // A proxy's HTML page or a truncated body: the caller reports the status.
    return null;
  }
}

function rpcErrorOf(answer: Record<string, unknown>) {
  const error = answer["error"];
  if (!isJsonObject(error)) return null;
  const { code, message } = error;
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message.slice(0, MAX_ERROR_TEXT) : "",
  };
}

/** Retry-After is seconds or a date; null: neither. */
function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
