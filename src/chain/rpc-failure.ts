import { assertNever } from "#src/platform/assert-never.ts";

/** How one attempt at a JSON-RPC call failed. */
export type RpcFailureCause =
  | { readonly kind: "unreachable" }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  | { readonly kind: "http"; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: "too-large"; readonly limitBytes: number }
  /** Not JSON, not a JSON-RPC answer, or an answer of the wrong shape. */
  | { readonly kind: "garbage"; readonly detail: string }
  | { readonly kind: "rpc-error"; readonly code: number; readonly message: string };

/** The node's error codes that may pass by themselves: behind, block not there yet, too busy. */
const PASSING_CODES = new Set([-32004, -32005, -32014, -32016, -32603, -32429]);
const PASSING_STATUSES = new Set([408, 425, 429]);

/** One attempt at a JSON-RPC call failed. Its text names no URL: an endpoint's URL often holds its key. */
export class RpcFailure extends Error {
  readonly failure: RpcFailureCause;

  constructor(failure: RpcFailureCause, cause?: unknown) {
    super(describe(failure), { cause });
    this.name = "RpcFailure";
    this.failure = failure;
  }
}

/** Whether the same call may well succeed a moment later. */
export function mayPass({ failure }: RpcFailure): boolean {
  switch (failure.kind) {
    case "unreachable":
    case "timeout":
    case "garbage":
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
      return `the node answered HTTP ${failure.status}`;
    case "too-large":
      return `the node's answer is larger than ${failure.limitBytes} bytes`;
    case "garbage":
      return `the node's answer makes no sense: ${failure.detail}`;
    case "rpc-error":
      return `the node answered error ${failure.code}: ${failure.message}`;
    default:
      return assertNever(failure);
  }
}
