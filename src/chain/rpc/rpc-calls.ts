import { isRateLimit, type RpcFailure } from "./rpc-failure.ts";

const CALL_OUTCOMES = [
  "ok",
  "rate-limited",
  "refused",
  "timeout",
  "unreachable",
  "failed",
] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export type CallCount = {
  readonly method: string;
  readonly outcome: CallOutcome;
  readonly calls: number;
};

/** How many calls were sent to the node, by method and outcome. Each attempt counts. */
export class RpcCalls {
  readonly #counts = new Map<string, Map<CallOutcome, number>>();

  count(method: string, outcome: CallOutcome): void {
    const own = this.#counts.get(method) ?? new Map<CallOutcome, number>();
    own.set(outcome, (own.get(outcome) ?? 0) + 1);
    this.#counts.set(method, own);
  }

  list(): readonly CallCount[] {
    return [...this.#counts].flatMap(([method, outcomes]) =>
      Array.from(outcomes, ([outcome, calls]) => ({ method, outcome, calls })),
    );
  }
}

export function outcomeOf(error: RpcFailure): CallOutcome {
  if (isRateLimit(error)) return "rate-limited";
  const { failure } = error;
  switch (failure.kind) {
    case "timeout":
    case "unreachable":
      return failure.kind;
    case "rpc-error":
      return "refused";
    case "http":
      return failure.status < 500 ? "refused" : "failed";
    default:
      return "failed";
  }
}
