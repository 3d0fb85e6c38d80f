import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { type MessagePort, Worker } from "node:worker_threads";
import type { ApiCounts } from "#src/metrics/metrics.ts";
import { relayTopics } from "#src/relay/relay-messages.ts";
import type { Config } from "./config.ts";
import type { RequestServer } from "./process-base.ts";

/** Only these two threads send messages over their port. */
export const THREAD_TOPICS = relayTopics("thread");

/** The topics of the tracker's thread for alerts that are about to be committed, and that are on disk. */
export const ALERT_TOPICS = { recording: "alerts-recording", recorded: "alerts-recorded" } as const;

export type ApiThreadPlan = {
  readonly config: Config;
  readonly place: Parameters<RequestServer["listen"]>[0];
  /** To the tracker's publisher. */
  readonly port: MessagePort;
};

export type ToApiThread =
  | { readonly kind: "count"; readonly id: number }
  | { readonly kind: "close" };
export type FromApiThread =
  | { readonly kind: "listening"; readonly url: string }
  | { readonly kind: "counts"; readonly id: number; readonly counts: ApiCounts };

/**
 * Half of Node's default on a large machine. V8's flags hold for every thread that starts after they are set: with the young generation that
 * suits the tracker's large heap (docs/scale.md), this thread takes 0.1 GB more. Heaps that exist keep theirs.
 */
const YOUNG_GENERATION = "--max-semi-space-size=16";

/** A blocked thread does not hold back the metrics of the others. */
const COUNT_WITHIN_MS = 5_000;

const NO_COUNTS: ApiCounts = { metrics: [], databaseFailures: null };

/** The API and the sending of alerts, in a thread of their own. If it dies while it listens, so does the process, as with any other part. */
export class ApiThread implements RequestServer {
  readonly #plan: Omit<ApiThreadPlan, "place">;
  #worker: Worker | null = null;
  #isClosing = false;
  readonly #counting = new Map<number, (counts: ApiCounts) => void>();
  #counted = 0;

  constructor(plan: Omit<ApiThreadPlan, "place">) {
    this.#plan = plan;
  }

  /** @throws the error that the thread ended with instead */
  readonly listen = async (place: ApiThreadPlan["place"]): Promise<string> => {
    const plan: ApiThreadPlan = { ...this.#plan, place };
    setFlagsFromString(YOUNG_GENERATION);
    const worker = new Worker(new URL("./api-worker.ts", import.meta.url), {
      workerData: plan,
      transferList: [plan.port],
    });
    this.#worker = worker;
    const listening = Promise.withResolvers<string>();
    let hasStarted = false;
    worker.on("message", (message: FromApiThread) => {
      if (message.kind === "counts") {
        this.#counting.get(message.id)?.(message.counts);
        return;
      }
      hasStarted = true;
      listening.resolve(message.url);
    });
    const failed = (cause: unknown): void => {
      this.#worker = null;
      if (!hasStarted) listening.reject(cause);
      else if (!this.#isClosing) throw cause;
    };
    worker.on("error", failed);
    worker.on("exit", (code) => {
      for (const resolve of this.#counting.values()) resolve(NO_COUNTS);
      if (this.#worker !== null) failed(new Error(`the API's thread ended with ${code}`));
    });
    return listening.promise;
  };

  /** What the thread has counted so far; nothing where it does not reply in time. */
  async counts(): Promise<ApiCounts> {
    const worker = this.#worker;
    if (worker === null) return NO_COUNTS;
    const id = ++this.#counted;
    const counted = Promise.withResolvers<ApiCounts>();
    this.#counting.set(id, counted.resolve);
    const timer = setTimeout(() => counted.resolve(NO_COUNTS), COUNT_WITHIN_MS);
    send(worker, { kind: "count", id });
    try {
      return await counted.promise;
    } finally {
      clearTimeout(timer);
      this.#counting.delete(id);
    }
  }

  readonly close = async (): Promise<void> => {
    const worker = this.#worker;
    if (worker === null) return;
    this.#isClosing = true;
    const ended = once(worker, "exit");
    send(worker, { kind: "close" });
    await ended;
  };
}

function send(worker: Worker, message: ToApiThread): void {
  worker.postMessage(message);
}
