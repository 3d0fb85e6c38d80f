import { parentPort, workerData } from "node:worker_threads";
import { DemoMarket } from "#demo/market.ts";
import { MARKET_PROGRAMS } from "#demo/programs/all.ts";
import type { SearchResult } from "#src/chain/chain-source.ts";
import { SLOT_MS } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { VENUES } from "#src/venues/all.ts";
import type { ProgramFilter } from "#src/venues/venue.ts";
import { executableMarket } from "#test/support/chain/executable-market.ts";
import { createIndexedNode } from "./indexed-node.ts";
import { indexedSearch } from "./indexed-search.ts";

/**
 * The demo market and its node on a thread of their own, as a chain is on machines of its own: what
 * they cost is not the service's.
 */
export type MarketOptions = {
  readonly tokens: number;
  readonly tradesPerMinute: number;
  readonly seed?: number;
  /** Only venues whose compiled programs are here, with their code. */
  readonly isExecutable?: boolean;
};
export type MarketReady = {
  readonly kind: "ready";
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly mints: readonly Address[];
};
export type MarketOrder =
  | { readonly kind: "search"; readonly id: number; readonly filter: ProgramFilter }
  | { readonly kind: "withdraw"; readonly mint: Address; readonly shareBps: number }
  /** Freezes everything from now on, the clock included. */
  | { readonly kind: "stop" };
export type MarketWord =
  | MarketReady
  | { readonly kind: "found"; readonly id: number; readonly result: SearchResult }
  | { readonly kind: "withdrawn"; readonly mint: Address; readonly atMs: number }
  | { readonly kind: "stopped" };

const { tokens, tradesPerMinute, seed = 1, isExecutable } = workerData as MarketOptions;
const options = {
  seed,
  startMs: Date.now(),
  extraTokens: tokens,
  extraTradesPerMinute: tradesPerMinute,
};
const demo =
  isExecutable === true
    ? executableMarket(options)
    : new DemoMarket({ ...options, programs: MARKET_PROGRAMS, venues: VENUES });
if (demo === null) throw new Error("no compiled program is here: run tools/fetch-programs.ts");
const search = indexedSearch(demo.ledger);
const { node } = createIndexedNode(demo.ledger);
const addresses = await node.listen();
const playing = setInterval(() => demo.catchUp(Date.now()), SLOT_MS);

const say = (word: MarketWord): void => parentPort?.postMessage(word);
parentPort?.on("message", async (order: MarketOrder) => {
  if (order.kind === "search") {
    say({ kind: "found", id: order.id, result: await search(order.filter) });
    return;
  }
  if (order.kind === "stop") {
    clearInterval(playing);
    say({ kind: "stopped" });
    return;
  }
  const atMs = performance.timeOrigin + performance.now();
  const { mint, shareBps } = order;
  if (demo.script(mint, { kind: "liquidity", shareBps })) say({ kind: "withdrawn", mint, atMs });
});
const named = new Set<string>(demo.namedTokens.map(({ mint }) => mint));
const mints = demo.mints.filter((mint) => !named.has(mint)).slice(-tokens);
say({ kind: "ready", ...addresses, mints });
