import type { Assessment } from "#src/measure/assessment.ts";
import { exitAt } from "#src/measure/exit-at.ts";
import { causeOf, lossesBetween } from "#src/measure/losses.ts";
import type { Market } from "#src/measure/market.ts";
import type { NewUserAlert } from "#src/store/user-alerts.ts";
import type { WatchedEntry } from "#src/store/watchlist.ts";
import type { AssessedSnapshot } from "#src/track/snapshot-text.ts";
import type { AlertEvent } from "#src/track/token-observer.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { MarketReading, RecentReadings } from "./market-reading.ts";

/** A token's market around an alert. */
export type AlertScene = {
  readonly snapshot: AssessedSnapshot;
  readonly recent: RecentReadings;
  readonly market: Market | null;
  readonly nowMs: number;
};

/** The token's own alert turned on: this is what the entry's user is told. */
export function deteriorationAlert(
  entry: WatchedEntry,
  event: AlertEvent,
  scene: AlertScene,
): NewUserAlert {
  const { deterioration } = event;
  return {
    ...entryFacts(entry, scene),
    dedupe: deteriorationName(entry.id, deterioration.sinceMs),
    kind: "deterioration",
    cause: deterioration.cause?.kind ?? "unknown",
    share: deterioration.cause?.share ?? null,
    slot: event.slot,
    c10Sol: { before: deterioration.levelSol, after: deterioration.c10Sol },
    depthSol: { before: event.depthBeforeSol, after: event.depthAfterSol },
    sinceMs: deterioration.sinceMs,
  };
}

/** Names a token's alert for one entry: however often it is heard of, it is recorded once. */
export function deteriorationName(entryId: bigint, sinceMs: number): string {
  return `deterioration/${entryId}/${sinceMs}`;
}

/** The slippage at the entry's own size passed its threshold, or its exit is gone. */
export function slippageAlert(
  entry: WatchedEntry,
  kind: "slippage" | "no-exit",
  scene: AlertScene,
): NewUserAlert {
  const { snapshot, recent } = scene;
  const { assessment } = snapshot;
  const before = readingBefore(recent)?.assessment ?? null;
  const losses = before === null ? null : lossesBetween(before, assessment);
  const cause = losses === null ? null : causeOf(losses);
  return {
    ...entryFacts(entry, scene),
    dedupe: `slippage/${entry.id}/${assessment.slot}/${scene.nowMs}`,
    kind,
    cause: cause?.kind ?? "unknown",
    share: cause?.share ?? null,
    slot: assessment.slot,
    c10Sol: { before: c10Of(before), after: c10Of(assessment) },
    depthSol: { before: depthOf(before), after: depthOf(assessment) },
    sinceMs: assessment.stateTimeMs,
  };
}

function entryFacts(entry: WatchedEntry, { snapshot, recent, market }: AlertScene) {
  const { sizeLamports } = entry;
  const exit = market === null ? null : exitAt(market, sizeLamports, "retail");
  return {
    entryId: entry.id,
    userId: entry.userId,
    mint: entry.mint,
    tokenName: snapshot.name,
    tokenSymbol: snapshot.symbol,
    sizeLamports,
    slippagePct: {
      before: slippageOf(readingBefore(recent), sizeLamports),
      after: slippageOf(recent.last, sizeLamports),
    },
    position:
      exit?.kind === "sold"
        ? { baseUnits: exit.baseUnitsSold, paidLamports: exit.paidLamports }
        : null,
  };
}

/** Null where the fall was there already when the token was first seen. */
function readingBefore({ older, last }: RecentReadings): MarketReading | null {
  return older === last ? null : older;
}

function slippageOf(reading: MarketReading | null, sizeLamports: bigint): number | null {
  const slippage = reading?.bySize.get(sizeLamports);
  return slippage?.kind === "known" ? slippage.slippagePct : null;
}

function c10Of(assessment: Assessment | null): number | null {
  return assessment?.measurement?.c10Sol ?? null;
}

function depthOf(assessment: Assessment | null): number | null {
  const lamports = assessment?.measurement?.depthLamports;
  return lamports === undefined ? null : ratioToNumber(lamports, LAMPORTS_PER_SOL);
}
