import { assess } from "#src/measure/assess.ts";
import type { Market } from "#src/measure/market.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { AlertEvent } from "#src/track/token-observer.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { marketOf, poolOfSol } from "./markets.ts";

/** Markets that a test moves by hand, seen as a tracker shows them. */
export type ScriptedMarkets = {
  readonly markets: Pick<
    Tracker,
    "latest" | "snapshot" | "market" | "onSnapshot" | "onAlert" | "setWatched"
  >;
  /** The token now has one plain pool of so many SOL. */
  readonly showPool: (mint: Address, sol: number) => void;
  readonly show: (market: Market) => void;
  /** The token's own alert turns on. */
  readonly deteriorate: (mint: Address, event?: Partial<AlertEvent["deterioration"]>) => void;
  readonly watched: () => readonly Address[];
};

export function scriptedMarkets(nowMs: () => number): ScriptedMarkets {
  const held = new Map<Address, { market: Market; snapshot: AssessedSnapshot }>();
  const snapshotListeners = new Set<(snapshot: AssessedSnapshot) => void>();
  const alertListeners = new Set<(event: AlertEvent) => void>();
  let watched: readonly Address[] = [];
  let slot = 1_000n;
  const show = (market: Market): void => {
    const snapshot: AssessedSnapshot = {
      kind: "assessed",
      assessment: assess(market),
      trend: "stable",
      isDeteriorating: false,
      name: "Test Token",
      symbol: "TEST",
    };
    held.set(market.mint, { market, snapshot });
    for (const listener of snapshotListeners) listener(snapshot);
  };
  const latest = (mint: Address) => held.get(mint)?.snapshot ?? null;
  return {
    markets: {
      latest,
      snapshot: async (mint) => latest(mint) ?? { kind: "not-found", mint },
      market: (mint) => held.get(mint)?.market ?? null,
      onSnapshot(listener) {
        snapshotListeners.add(listener);
        return () => snapshotListeners.delete(listener);
      },
      onAlert(listener) {
        alertListeners.add(listener);
        return () => alertListeners.delete(listener);
      },
      setWatched(mints) {
        watched = [...mints];
      },
    },
    show,
    showPool(mint, sol) {
      slot++;
      const times = { slot, stateTimeMs: nowMs(), nowMs: nowMs() };
      show(marketOf([poolOfSol(sol)], { mint, ...times }));
    },
    deteriorate(mint, change = {}) {
      const deterioration: AlertEvent["deterioration"] = {
        detector: "jump",
        cause: { kind: "withdrawn", share: 0.82 },
        sinceMs: nowMs(),
        levelSol: 10,
        c10Sol: 4,
        ...change,
      };
      const depths = { depthBeforeSol: 100, depthAfterSol: 40 };
      for (const listener of alertListeners)
        listener({ kind: "on", mint, deterioration, slot, ...depths });
    },
    watched: () => watched,
  };
}
