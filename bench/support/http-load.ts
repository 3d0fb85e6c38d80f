import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** A load on one path of one or more servers that answer alike. */
export type LoadPlan = {
  /** Connections are spread over them. */
  readonly urls: readonly string[];
  readonly path: string;
  /** Instead of `path`: paths that are requested in turn, like the keys. */
  readonly paths?: readonly string[];
  /** Keys take turns; or each request comes from an address of its own, counted on from `first`. */
  readonly callers:
    | { readonly kind: "keys"; readonly keys: readonly string[] }
    | { readonly kind: "addresses"; readonly first: number };
  /** Opened before the first request, and again where one breaks. */
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests a second, asked whether or not those before were answered, with latencies from the moment
   * they were due; null: each connection asks again as soon as it is answered.
   */
  readonly rate: number | null;
  /** An answer that took longer is trouble, for `lastTroubleMs`. */
  readonly lateAfterMs: number;
  /** Interval of `onInterval`; null: never. */
  readonly intervalSeconds: number | null;
  /** How far the asking thread is below the server, which shares its processors; absent: not at all. */
  readonly nice?: number;
};

export type LoadInterval = {
  /** By status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Connections that broke. */
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
};

export type LoadResult = {
  readonly seconds: number;
  readonly asked: number;
  /** Requests that were due and found no connection. */
  readonly neverAsked: number;
  readonly unanswered: number;
  /** By status, those that came after the end included. */
  readonly answers: Readonly<Record<string, number>>;
  /** By status, those that came within `seconds`. */
  readonly answersInTime: Readonly<Record<string, number>>;
  readonly errors: number;
  /** Of answers with status 200; null where there are none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Of the others. */
  readonly refusedP99Ms: number | null;
  /** Answers 429 and 503 without a Retry-After. */
  readonly refusedWithoutRetryAfter: number;
  /** When the last request was answered otherwise than 200 and in time, since the start; 0: never. */
  readonly lastTroubleMs: number;
  readonly connections: number;
  /** The share of the time that the asking side was busy: near 1, it and not the server was measured. */
  readonly clientBusy: number;
  /** Answers with status 200, by the key's place. */
  readonly answeredByKey: Uint32Array;
  /** Answers with another status, by the key's place. */
  readonly refusedByKey: Uint32Array;
  /** Requests that got no answer, by the key's place: whether they were counted is not known. */
  readonly failedByKey: Uint32Array;
};

type Word =
  | { readonly kind: "interval"; readonly interval: LoadInterval }
  | { readonly kind: "result"; readonly result: LoadResult };

/** Asks as planned, from a thread of its own. */
export async function runLoad(
  plan: LoadPlan,
  onInterval: (interval: LoadInterval) => void = () => undefined,
): Promise<LoadResult> {
  const worker = new Worker(new URL("./http-load-worker.ts", import.meta.url), {
    workerData: plan,
  });
  let result: LoadResult | null = null;
  worker.on("message", (word: Word) => {
    if (word.kind === "interval") onInterval(word.interval);
    else result = word.result;
  });
  await once(worker, "exit");
  if (result === null) throw new Error("the asking side ended without a result");
  return result;
}

/** Answers with status 200 a second, within the time of the load. */
export const answeredPerSecond = ({ answersInTime, seconds }: LoadResult): number =>
  (answersInTime["200"] ?? 0) / seconds;

/** What was not answered 200: other statuses, and connections that broke. */
export function refusedOf({ answers, errors }: LoadResult): number {
  return Object.entries(answers).reduce(
    (sum, [status, count]) => (status === "200" ? sum : sum + count),
    errors,
  );
}
