import type { Address } from "#src/units/address.ts";
import type { ChainLogger } from "./chain-logger.ts";
import type { NodeRefusal } from "./chain-source.ts";
import { isRateLimit, type RpcFailure } from "./rpc/rpc-failure.ts";

/** A refusal is trusted for so long before the search is tried again. */
const REFUSED_FOR_MS = 10 * 60_000;
/** A search that timed out is tried again after this, and after twice as long each further time. */
const FIRST_TIMEOUT_PAUSE_MS = 60_000;
const NOT_A_METHOD = -32601;
const FORBIDDEN_STATUSES = new Set([401, 402, 403, 404, 405]);

type Memory = { readonly reason: string; readonly untilMs: number; readonly timeouts: number };

/**
 * What a provider refuses of one method, so that the same refusal is not asked for with every token: by
 * program, or for the whole method where the provider does not serve it.
 */
export class SearchMemory {
  readonly #what: string;
  readonly #logger: ChainLogger | null;
  readonly #byProgram = new Map<Address, Memory>();
  readonly #logged = new Set<string>();
  #method: Memory | null = null;

  constructor(method: string, logger: ChainLogger | null) {
    this.#what = method;
    this.#logger = logger;
  }

  /** Why a search of the program (null: the method as a whole) would be refused now; null: it may be tried. */
  refusalOf(programId: Address | null): string | null {
    const nowMs = performance.now();
    const byProgram = programId === null ? null : this.#byProgram.get(programId);
    for (const memory of [this.#method, byProgram]) {
      if (memory !== null && memory !== undefined && memory.untilMs > nowMs) return memory.reason;
    }
    return null;
  }

  /** What is refused now. */
  list(): readonly NodeRefusal[] {
    const nowMs = performance.now();
    const all = this.#method === null ? [] : [[null, this.#method] as const];
    return [...all, ...this.#byProgram]
      .filter(([, { untilMs }]) => untilMs > nowMs)
      .map(([programId, { reason }]) => ({ method: this.#what, programId, reason }));
  }

  succeeded(programId: Address): void {
    this.#byProgram.delete(programId);
    this.#method = null;
  }

  failed(programId: Address, error: RpcFailure): void {
    const { failure } = error;
    if (isRateLimit(error) || failure.kind === "unreachable" || failure.kind === "malformed")
      return;
    const nowMs = performance.now();
    const reason = error.message;
    if (failure.kind === "timeout" || (failure.kind === "http" && failure.status >= 500)) {
      const timeouts = (this.#byProgram.get(programId)?.timeouts ?? 0) + 1;
      const pauseMs = Math.min(FIRST_TIMEOUT_PAUSE_MS * 2 ** (timeouts - 1), REFUSED_FOR_MS);
      this.#byProgram.set(programId, { reason, untilMs: nowMs + pauseMs, timeouts });
      this.#log({ programId, reason, pauseMs });
      return;
    }
    const memory = { reason, untilMs: nowMs + REFUSED_FOR_MS, timeouts: 0 };
    const isWholeMethod =
      (failure.kind === "rpc-error" && failure.code === NOT_A_METHOD) ||
      (failure.kind === "http" && FORBIDDEN_STATUSES.has(failure.status));
    if (isWholeMethod) this.#method = memory;
    else this.#byProgram.set(programId, memory);
    this.#log({ programId: isWholeMethod ? "all" : programId, reason, pauseMs: REFUSED_FOR_MS });
  }

  #log(context: { programId: string; reason: string; pauseMs: number }): void {
    if (this.#logged.has(context.programId)) return;
    this.#logged.add(context.programId);
    const text =
      "the node refuses a search for pools; they are found in the other ways, answers name the gap, and the search is tried again later";
    this.#logger?.warn({ method: this.#what, ...context }, text);
  }
}
