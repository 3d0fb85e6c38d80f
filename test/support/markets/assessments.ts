import type { HttpDeps } from "#src/api/app.ts";
import type { Assessment, Ladder, Measurement } from "#src/measure/assessment.ts";
import type { MarketSnapshot } from "#src/track/market-snapshot.ts";
import { type Address, address } from "#src/units/address.ts";
import { PLAIN_TOKEN } from "./markets.ts";

export const SOME_MINT = address("HtMWEhAzz6ExYGXdNryncYJ7tvyivC6U8SUFu5szpump");

export const someLadder: Ladder = {
  slippagesPct: [1.1, 2.2, 4.4, 9.9, 18, null],
  score: 71.5,
  exitMaxSol: 5,
};

export const someMeasurement: Measurement = {
  depthLamports: 45_200_000_000n,
  midPrice: { numerator: 30n, denominator: 1_000_000n },
  retail: someLadder,
  pro: { ...someLadder, score: 60, exitMaxSol: 10 },
  c10Sol: 5.1,
  pools: [],
};

/** An assessment that was measured, with what a test wants otherwise. */
export function someAssessment(change: Partial<Assessment> = {}): Assessment {
  return {
    mint: SOME_MINT,
    decimals: 6,
    token: PLAIN_TOKEN,
    phase: "migrated",
    family: "pump",
    measurement: someMeasurement,
    blocked: null,
    pricedWhileBlocked: null,
    findings: [],
    slot: 400_000_000n,
    stateTimeMs: Date.UTC(2026, 9, 5, 12, 0, 0, 123),
    ...change,
  };
}

export function someSnapshot(change: Partial<Assessment> = {}): MarketSnapshot {
  return {
    kind: "assessed",
    assessment: someAssessment(change),
    trend: "stable",
    isDeteriorating: false,
    name: null,
    symbol: null,
  };
}

/** Markets that answer with one snapshot and have no past. What a test does not set, it must not call. */
export function someMarkets(
  snapshotOf: (mint: Address) => MarketSnapshot | Promise<MarketSnapshot>,
  change: Partial<HttpDeps["markets"]> = {},
): HttpDeps["markets"] {
  const unexpected = (): never => {
    throw new Error("this test did not expect the call");
  };
  return {
    latest: () => null,
    touch: () => true,
    snapshot: async (mint) => snapshotOf(mint),
    exit: unexpected,
    answerExit: unexpected,
    curve: unexpected,
    holdersFirst: unexpected,
    pastDay: unexpected,
    stressed: unexpected,
    history: unexpected,
    alerts: unexpected,
    answerAt: unexpected,
    onSnapshot: unexpected,
    health: unexpected,
    ...change,
  };
}

export const SOME_SERVICE: HttpDeps["service"] = {
  origin: "demo",
  commitment: "confirmed",
  examples: () => [],
  venues: [],
  version: "0.0.0",
};

/** Nothing was ever replayed. */
export const NO_ACCURACY: HttpDeps["accuracy"] = {
  report: () => ({ venues: [], quoted: [], waiting: [] }),
  swaps: { last: async () => [] },
};
