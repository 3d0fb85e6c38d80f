import { plainVenue } from "#bench/detection/plain-pool-venue.ts";
import type { ScriptedChain } from "#bench/detection/scripted-chain.ts";
import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Database } from "#src/store/connection/database.ts";
import { Tracker } from "#src/track/tracker.ts";

type Broken = Partial<
  Pick<ChainSource, "readAccounts" | "readClock" | "searchAccounts" | "findLargestAccounts">
>;

/** A tracker of the plain venue on this chain; `broken` replaces some of the chain's reads. */
export function track(chain: ScriptedChain, database: Database, broken: Broken = {}): Tracker {
  const source = new Proxy(chain, {
    get(target, name) {
      const own = (broken as Readonly<Record<string | symbol, unknown>>)[name];
      const value: unknown = own ?? Reflect.get(target, name);
      return typeof value === "function" && own === undefined ? value.bind(target) : value;
    },
  });
  return new Tracker({
    source,
    venues: [plainVenue()],
    clock: { nowMs: () => chain.nowMs },
    database,
  });
}
