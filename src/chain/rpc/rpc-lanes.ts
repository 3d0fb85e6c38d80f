import { TaskQueue, type TaskQueueOptions } from "#src/platform/task-queue.ts";
import type { CallPacer } from "./call-pacer.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import type { JsonRpcCall, JsonRpcClient } from "./json-rpc-client.ts";
import type { Endpoint } from "./rpc-endpoint.ts";
import { isNodeFailure, RpcFailure } from "./rpc-failure.ts";

const READ_TIMEOUT_MS = 4_000;
/** A read that is refused because of its rate is repeated within this time. */
export const READ_DEADLINE_MS = 7_000;

/** Calls of one urgency. */
export type CallLane = {
  readonly limits: TaskQueueOptions;
  readonly queue: TaskQueue;
  readonly pacer: CallPacer;
};

export function laneOf(limits: TaskQueueOptions, pacer: CallPacer): CallLane {
  return { limits, queue: new TaskQueue(limits), pacer };
}

/** Sends the reads of all lanes: they fail at once while the node does not answer. */
export class LaneCaller {
  readonly #client: JsonRpcClient;
  readonly #breaker = new CircuitBreaker();

  constructor(client: JsonRpcClient) {
    this.#client = client;
  }

  /** @throws RpcFailure; AppError overloaded; the signal's reason */
  ask<Result>(
    { queue, pacer }: CallLane,
    request: Omit<JsonRpcCall, "timeoutMs">,
    parse: (result: unknown, endpoint: Endpoint) => Result,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const call = {
      timeoutMs: READ_TIMEOUT_MS,
      deadlineMs: READ_DEADLINE_MS,
      pacer,
      ...request,
    };
    return queue.run(async () => {
      if (!this.#breaker.admits()) throw new RpcFailure({ kind: "unreachable" });
      try {
        const result = await this.#client.call(call, parse, signal);
        this.#breaker.succeeded();
        return result;
      } catch (error) {
        if (!(error instanceof RpcFailure)) this.#breaker.abandoned();
        else if (isNodeFailure(error)) this.#breaker.failed();
        else this.#breaker.succeeded();
        throw error;
      }
    }, signal);
  }
}
