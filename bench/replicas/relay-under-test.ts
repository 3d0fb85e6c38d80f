import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Address } from "#src/units/address.ts";

type Modules = {
  readonly publisher: typeof import("#src/relay/market-publisher.ts");
  readonly remote: typeof import("#src/relay/remote-markets.ts");
  readonly link: typeof import("#src/relay/redis-link.ts");
  readonly messages: typeof import("#src/relay/relay-messages.ts");
};

/** The relay of a checkout, which may be an older one. */
export async function relayOf(checkout: string): Promise<Modules> {
  const load = (name: string): Promise<unknown> =>
    import(pathToFileURL(join(checkout, "src", "relay", `${name}.ts`)).href);
  const [publisher, remote, link, messages] = await Promise.all([
    load("market-publisher"),
    load("remote-markets"),
    load("redis-link"),
    load("relay-messages"),
  ]);
  return { publisher, remote, link, messages } as Modules;
}

/** The first message to each process of the benchmark. */
export type Start = {
  readonly checkout: string;
  readonly redisUrl: string;
  /** Snapshots of each token a second. */
  readonly perSecond: number;
  /** The number of all tokens for the tracker, of its own tokens for a replica. */
  readonly tokens: number;
  readonly mints: readonly Address[];
};

export async function readStart(): Promise<Start> {
  const [start] = (await once(process, "message")) as [Start];
  return start;
}

export const DEPLOYMENT = "a-benchmark";

/** Figures of one replica during the measurement. */
export type ReplicaFigures = {
  /** Messages with a snapshot that reached the process, also of tokens that it does not serve. */
  readonly received: number;
  readonly receivedBytes: number;
  /** Snapshots that replaced a held one. */
  readonly taken: number;
  /** Time from the state of a snapshot to its arrival. */
  readonly arrival: Percentiles;
  /** Time from the state of an answer to its request. */
  readonly age: Percentiles;
  readonly residentBytes: number;
};

export type Percentiles = { readonly p50: number | null; readonly p99: number | null };

export const quiet = {
  info: () => undefined,
  warn: (...line: unknown[]) => console.error(...line),
  error: (...line: unknown[]) => console.error(...line),
};
