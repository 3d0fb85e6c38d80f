import { recordReached, recordUnreachable, serverNowMs } from "./connection.ts";
import { recordQuota } from "./quota.ts";

/** An answer that was not 2xx, in the service's own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The whole body, for the fields that some errors carry. */
  readonly body: Readonly<Record<string, unknown>>;
  /** When it is worth asking again, by the service's clock; null: it does not say. */
  readonly retryAtMs: number | null;

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>>,
    retryAtMs: number | null = null,
  ) {
    super(typeof body.message === "string" ? body.message : `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = typeof body.error === "string" ? body.error : "unreachable";
    this.body = body;
    this.retryAtMs = retryAtMs;
  }
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export type ApiRequest = {
  readonly method?: Method;
  readonly body?: object;
  readonly signal?: AbortSignal;
  /** Of an answer that takes longer than others. */
  readonly timeoutMs?: number;
};

/** A request without an answer for this long has failed: its connection may be dead. */
const TIMEOUT_MS = 10_000;
/** Of questions that wait for those of other tokens: the service takes more than a minute for them at most. */
export const LONG_ANSWER_MS = 80_000;

/**
 * One request to our own service, in the page's language; it fails after ten seconds, or `timeoutMs`. An answer
 * without a body is null. A write goes on if the page is closed meanwhile.
 *
 * @throws ApiError for every answer that is not 2xx
 */
export async function api<Body>(path: string, request: ApiRequest = {}): Promise<Body> {
  const { method = "GET", body, signal, timeoutMs = TIMEOUT_MS } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const early = method === "GET" ? takeEarly(path) : null;
  const sentMs = early === null ? Date.now() : performance.timeOrigin;
  try {
    const response = await (early ??
      fetch(path, {
        method,
        credentials: "same-origin",
        keepalive: method !== "GET",
        headers: {
          accept: "application/json",
          "accept-language": document.documentElement.lang,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // Safari has `any` from 17.4 on: before, a request of a query has no limit of time.
        signal: signal === undefined ? timeout : (AbortSignal.any?.([signal, timeout]) ?? signal),
      }));
    recordQuota(response.headers);
    const answer = response.status === 204 ? null : readJson(await response.text());
    if (response.ok && answer !== undefined) {
      recordReached(response.headers.get("date"), sentMs);
      return answer as Body;
    }
    // A proxy in front answers with a page of its own while the service is away.
    const isOurs = isRecord(answer) && typeof answer.error === "string";
    if (isOurs) recordReached(response.headers.get("date"), sentMs);
    else recordUnreachable();
    throw new ApiError(response.status, isOurs ? answer : {}, retryAtMs(response.headers));
  } catch (error) {
    if (!(error instanceof ApiError) && signal?.aborted !== true) recordUnreachable();
    throw error;
  }
}

function retryAtMs(headers: Headers): number | null {
  const seconds = /^\d+$/.exec(headers.get("retry-after") ?? "")?.[0];
  return seconds === undefined ? null : serverNowMs() + Number(seconds) * 1_000;
}

/** The answer that `public/early.js` asked for before this script had arrived; each is used once. */
function takeEarly(path: string): Promise<Response> | null {
  const early = window.early?.get(path) ?? null;
  window.early?.delete(path);
  return early;
}

declare global {
  interface Window {
    early?: Map<string, Promise<Response>>;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not an answer of ours: the caller reports it as unreachable.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isApiError(error: unknown, code: string): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
