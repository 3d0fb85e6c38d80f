import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market } from "#src/measure/market/market.ts";
import type { Deterioration } from "#src/measure/series/deterioration.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { AlertChange, MarketReport } from "#src/track/market-report.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { Tracker } from "#src/track/tracker.ts";
import type { Address } from "#src/units/address.ts";
import { marketOf, poolOfSol } from "./markets.ts";

/** Markets that a test moves by hand, seen as a tracker shows them. */
export type ScriptedMarkets = {
  readonly markets: Pick<Tracker, "latest" | "snapshot" | "market" | "onReport" | "setWatched">;
  /** The token now has one plain pool of this many SOL; with `alert`, its own alert turns on by that. */
  readonly showPool: (mint: Address, sol: number, alert?: Partial<Deterioration>) => void;
  /** The same of a slot that is not confirmed. */
  readonly fork: (mint: Address, sol: number, alert?: Partial<Deterioration>) => void;
  /** The last slot is dropped, and the token has a pool of this many SOL again. */
  readonly takeBack: (mint: Address, sol: number) => void;
  readonly show: (market: Market) => void;
  /** The token's own alert turns on, on the market that was shown last. */
  readonly deteriorate: (mint: Address, alert?: Partial<Deterioration>) => void;
  /** The token's own alert turns off. */
  readonly recover: (mint: Address) => void;
  readonly watched: () => readonly Address[];
};

export function scriptedMarkets(clock: WallClock): ScriptedMarkets {
  const held = new Map<Address, { market: Market; snapshot: AssessedSnapshot }>();
  const listeners = new Set<(report: MarketReport) => void>();
  let watched: readonly Address[] = [];
  let slot = 1_000n;
  const report = (
    mint: Address,
    alertChange: AlertChange | null,
    takenBack: Pick<MarketReport, "takenBackSince"> = {},
  ): void => {
    const known = held.get(mint);
    if (known === undefined) return;
    const { snapshot, market } = known;
    const times = { chainMs: clock.nowMs(), ...takenBack };
    const told = { snapshot, market: () => market, alertChange, ...times };
    for (const listener of listeners) listener(told);
  };
  const turnedOn = (mint: Address, alert: Partial<Deterioration>): AlertChange => ({
    kind: "on",
    mint,
    deterioration: {
      detector: "jump",
      cause: { kind: "withdrawn", share: 0.82 },
      causes: { withdrawn: 0.82, sold: 0.18, fees: 0, paused: 0 },
      sinceMs: clock.nowMs(),
      levelSol: 10,
      c10Sol: 4,
      ...alert,
    },
    slot,
    atMs: clock.nowMs(),
    depthBeforeSol: 100,
    depthAfterSol: 40,
  });
  const hold = (market: Market, commitment: Pick<Assessment, "commitment"> = {}): void => {
    const snapshot: AssessedSnapshot = {
      kind: "assessed",
      assessment: { ...assess(market), ...commitment },
      trend: "stable",
      isDeteriorating: false,
      name: "Test Token",
      symbol: "TEST",
    };
    held.set(market.mint, { market, snapshot });
  };
  const poolAtNextSlot = (mint: Address, sol: number): Market => {
    slot++;
    const times = { slot, stateTimeMs: clock.nowMs(), nowMs: clock.nowMs() };
    return marketOf([poolOfSol(sol)], { mint, ...times });
  };
  const latest = (mint: Address) => held.get(mint)?.snapshot ?? null;
  return {
    markets: {
      latest,
      snapshot: async (mint) => latest(mint) ?? { kind: "not-found", mint },
      market: (mint) => held.get(mint)?.market ?? null,
      onReport(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      setWatched(mints) {
        watched = [...mints];
      },
    },
    show(market) {
      hold(market);
      report(market.mint, null);
    },
    showPool(mint, sol, alert) {
      hold(poolAtNextSlot(mint, sol));
      report(mint, alert === undefined ? null : turnedOn(mint, alert));
    },
    fork(mint, sol, alert) {
      hold(poolAtNextSlot(mint, sol), { commitment: "processed" });
      report(mint, alert === undefined ? null : turnedOn(mint, alert));
    },
    takeBack(mint, sol) {
      const takenBackSince = slot;
      hold(poolAtNextSlot(mint, sol), { commitment: "processed" });
      report(mint, null, { takenBackSince });
    },
    deteriorate: (mint, alert = {}) => report(mint, turnedOn(mint, alert)),
    recover: (mint) => report(mint, { ...turnedOn(mint, {}), kind: "off" }),
    watched: () => watched,
  };
}
