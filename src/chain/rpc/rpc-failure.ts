import { assertNever } from "#src/platform/assert-never.ts";
import { isJsonObject } from "#src/platform/json-object.ts";

/** How one attempt at a JSON-RPC call failed. */
export type RpcFailureCause =
  | { readonly kind: "unreachable" }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  | { readonly kind: "http"; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: "too-large"; readonly limitBytes: number }
  /** Not JSON, not a JSON-RPC reply, or a reply of the wrong shape. */
  | { readonly kind: "malformed"; readonly detail: string }
  | {
      readonly kind: "rpc-error";
      readonly code: number;
      readonly message: string;
      /** Of the reply that contained the error; absent: it came over a WebSocket. */
      readonly status?: number;
    };

/** Error codes of a temporary condition: node behind, block not available yet, node too busy. */
const PASSING_CODES = new Set([-32004, -32005, -32014, -32016, -32603, -32429]);
const PASSING_STATUSES = new Set([408, 425, 429]);
/** Codes with which providers refuse a call because of its rate, also inside HTTP 200. */
const RATE_CODES = new Set([429, -429, -32429, -32007, -32029, -32090, -32097]);
/** Codes that say that a method is not served, whatever their text mentions. */
const UNKNOWN_METHOD_CODES = new Set([-32010, -32012, -32601]);
/** The same of a method or its parameters. */
const NOT_SERVED_CODES = new Set([...UNKNOWN_METHOD_CODES, -32600, -32602]);
const UNAUTHORIZED = 401;
const PAYMENT_REQUIRED = 402;
const FORBIDDEN = 403;
const RATE_WORDS =
  /too many requests|rate.?limit|request limit|rps limit|requests per second|throughput|exceeded .*(limit|quota|capacity)/i;

/** One attempt at a JSON-RPC call failed. The message contains no URL: it often holds the provider's key. */
export class RpcFailure extends Error {
  readonly failure: RpcFailureCause;

  constructor(failure: RpcFailureCause, cause?: unknown) {
    super(describe(failure), { cause });
    this.name = "RpcFailure";
    this.failure = failure;
  }
}

/** Whether the provider refused the call because of its rate. */
export function isRateLimit({ failure }: RpcFailure): boolean {
  if (failure.kind === "http") return failure.status === 429;
  if (failure.kind !== "rpc-error" || NOT_SERVED_CODES.has(failure.code)) return false;
  return RATE_CODES.has(failure.code) || RATE_WORDS.test(failure.message);
}

/** The same for the error of a JSON-RPC reply. */
export function isRateRefusal(error: unknown): boolean {
  if (!isJsonObject(error)) return false;
  const { code, message } = error;
  const failure = {
    kind: "rpc-error",
    code: typeof code === "number" ? code : 0,
    message: String(message),
  } as const;
  return isRateLimit(new RpcFailure(failure));
}

/** Whether the error of a JSON-RPC reply says that the method is not served at all. */
export function isUnknownMethod(error: unknown): boolean {
  return isJsonObject(error) && UNKNOWN_METHOD_CODES.has(Number(error["code"]));
}

/** How long the provider asks to wait; null: it does not say. */
export function retryAfterOf({ failure }: RpcFailure): number | null {
  return failure.kind === "http" ? failure.retryAfterMs : null;
}

/** Whether the call got no answer from a node that works. */
export function isNodeFailure({ failure }: RpcFailure): boolean {
  switch (failure.kind) {
    case "unreachable":
    case "timeout":
      return true;
    case "http":
      return isOfServer(failure.status);
    default:
      return false;
  }
}

/**
 * Whether this failure of a read of accounts means that the endpoint is broken, or that its plan has ended. Every plan
 * serves that call, the cheapest one. The same reply to a search may be about the search, which can be too heavy for
 * a plan.
 */
export function isBrokenRead(error: RpcFailure): boolean {
  const { failure } = error;
  // Such as a page of HTML with status 200.
  if (failure.kind === "malformed") return true;
  if (failure.kind !== "http" && failure.kind !== "rpc-error") return false;
  if (failure.kind === "rpc-error" && NOT_SERVED_CODES.has(failure.code)) return false;
  const { status } = failure;
  if (status === undefined || !refusesAll(status)) return false;
  // The words of an ended plan are those of a limit, too.
  return status === PAYMENT_REQUIRED || status === UNAUTHORIZED || !isRateLimit(error);
}

/** Whether a status is about the endpoint or its key, and not about what was asked for. */
function isOfServer(status: number): boolean {
  return status >= 500 || status === UNAUTHORIZED;
}

/** The same of the cheapest call: then the plan has ended too, or the key is not allowed. */
function refusesAll(status: number): boolean {
  return isOfServer(status) || status === PAYMENT_REQUIRED || status === FORBIDDEN;
}

/** Whether the same call may succeed a moment later. */
export function mayPass(error: RpcFailure): boolean {
  const { failure } = error;
  if (isRateLimit(error)) return true;
  switch (failure.kind) {
    case "unreachable":
    case "timeout":
    case "malformed":
      return true;
    case "http":
      return failure.status >= 500 || PASSING_STATUSES.has(failure.status);
    case "rpc-error":
      return PASSING_CODES.has(failure.code);
    case "too-large":
      return false;
    default:
      return assertNever(failure);
  }
}

function describe(failure: RpcFailureCause): string {
  switch (failure.kind) {
    case "unreachable":
      return "the node can't be reached";
    case "timeout":
      return `the node did not answer within ${failure.timeoutMs} ms`;
    case "http":
      return `the node returned HTTP ${failure.status}`;
    case "too-large":
      return `the node's reply is larger than ${failure.limitBytes} bytes`;
    case "malformed":
      return `the node's reply is malformed: ${failure.detail}`;
    case "rpc-error":
      return `the node returned error ${failure.code}: ${failure.message}`;
    default:
      return assertNever(failure);
  }
}
