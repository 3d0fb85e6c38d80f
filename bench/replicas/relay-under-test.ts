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

/** What a process of the benchmark is started with: its first message. */
export type Start = {
  readonly checkout: string;
  readonly redisUrl: string;
  /** Snapshots of each token a second. */
  readonly perSecond: number;
  /** All tokens for the tracker, its own for a replica. */
  readonly tokens: number;
  readonly mints: readonly Address[];
};

export async function readStart(): Promise<Start> {
  const [start] = (await once(process, "message")) as [Start];
  return start;
}

export const DEPLOYMENT = "a-benchmark";

/** Of one replica, while it was measured. */
export type ReplicaFigures = {
  /** Messages with a snapshot that reached the process, for its tokens or not. */
  readonly received: number;
  readonly receivedBytes: number;
  /** Snapshots that replaced a held one. */
  readonly taken: number;
  /** From the state of a snapshot to its arrival. */
  readonly arrival: Percentiles;
  /** From the state of an answer to the request that it answers. */
  readonly age: Percentiles;
  readonly residentBytes: number;
};

export type Percentiles = { readonly p50: number | null; readonly p99: number | null };

export const quiet = {
  info: () => undefined,
  warn: (...line: unknown[]) => console.error(...line),
  error: (...line: unknown[]) => console.error(...line),
};
