import type { Assessment } from "#src/measure/assessment.ts";
import { capacityOfAssessment } from "#src/measure/series/capacity-series.ts";
import { causeOf, causeShares, lossesBetween, type Sight } from "#src/measure/series/losses.ts";
import type { NewUserAlert } from "#src/store/user-alerts.ts";
import type { WatchedEntry } from "#src/store/watchlist.ts";
import { depthSolOf } from "#src/track/history/sample.ts";
import type { AlertChange, MarketReport } from "#src/track/market-report.ts";
import type { Block } from "./blocked-rule.ts";
import type { MarketReading, RecentReadings } from "./market-reading.ts";

/** The market that an alert is about. */
export type AlertScene = Pick<MarketReport, "snapshot" | "chainMs"> & {
  readonly recent: RecentReadings;
};

type Owner = Omit<WatchedEntry, "isSlippageHigh" | "isBlockReported">;

/** The alert of an entry's user when the token's own alert turns on. */
export function deteriorationAlert(
  entry: Owner,
  { deterioration, ...change }: AlertChange,
  scene: AlertScene,
): NewUserAlert {
  const { detector } = deterioration;
  const isSlow = detector === "drift" || detector === "drain";
  const before = isSlow ? scene.recent.peak : readingBefore(scene.recent);
  return {
    ...entryFacts(entry, before, scene),
    // The same alert of a token is recorded once for each entry.
    dedupe: `deterioration/${entry.id}/${deterioration.sinceMs}`,
    kind: "deterioration",
    cause: deterioration.cause?.kind ?? "unknown",
    share: deterioration.cause?.share ?? null,
    causes: deterioration.cause === null ? null : deterioration.causes,
    slot: change.slot,
    c10Sol: { before: deterioration.levelSol, after: deterioration.c10Sol },
    depthSol: { before: change.depthBeforeSol, after: change.depthAfterSol },
    sinceMs: deterioration.sinceMs,
  };
}

/** The alert when the slippage at the entry's size crosses its threshold or the exit is gone. */
export function slippageAlert(
  entry: Owner,
  kind: "slippage" | "no-exit",
  scene: AlertScene,
): NewUserAlert {
  const { assessment } = scene.snapshot;
  const reading = readingBefore(scene.recent);
  const before = reading?.assessment ?? null;
  const losses = before === null ? null : lossesBetween(before, assessment, NOTHING_KNOWN);
  const cause = losses === null ? null : causeOf(losses);
  return {
    ...entryFacts(entry, reading, scene),
    dedupe: `slippage/${entry.id}/${assessment.slot}/${scene.chainMs}`,
    kind,
    cause: cause?.kind ?? "unknown",
    share: cause?.share ?? null,
    causes: losses === null || cause === null ? null : causeShares(losses),
    slot: assessment.slot,
    c10Sol: { before: c10Of(before), after: c10Of(assessment) },
    depthSol: { before: depthSolOf(before), after: depthSolOf(assessment) },
    sinceMs: assessment.stateTimeMs,
  };
}

/**
 * The alert when the token has been blocked for more than a minute: what it pays now is not known, except that
 * a pause pays nothing.
 */
export function blockedAlert(
  entry: Owner,
  { reason, sinceMs, slot }: Block,
  scene: AlertScene,
): NewUserAlert {
  const before = readingBefore(scene.recent);
  return {
    ...entryFacts(entry, before, scene),
    dedupe: `blocked/${entry.id}/${sinceMs}`,
    kind: "blocked",
    cause: reason,
    share: null,
    causes: null,
    slot,
    c10Sol: {
      before: c10Of(before?.assessment ?? null),
      after: capacityOfAssessment(scene.snapshot.assessment),
    },
    depthSol: { before: depthSolOf(before?.assessment ?? null), after: null },
    sinceMs,
  };
}

function entryFacts(
  entry: Owner,
  before: MarketReading | null,
  { snapshot, recent }: Pick<AlertScene, "snapshot" | "recent">,
) {
  const { sizeLamports } = entry;
  const reading = before?.bySize.get(sizeLamports);
  return {
    entryId: entry.id,
    userId: entry.userId,
    mint: entry.mint,
    tokenName: snapshot.name,
    tokenSymbol: snapshot.symbol,
    ...(snapshot.assessment.commitment === undefined
      ? {}
      : { commitment: snapshot.assessment.commitment }),
    sizeLamports,
    slippagePct: {
      before: slippageOf(before, sizeLamports),
      after: slippageOf(recent.last, sizeLamports),
    },
    // The grade compares with what this position would have paid before the fall.
    position: reading?.kind === "known" ? (reading.position ?? null) : null,
  };
}

/** A pool that is missing may have migrated, or may only be unreadable: that does not show that it was emptied. */
const NOTHING_KNOWN: Sight = { isClosed: () => false, isRead: () => false };

/** Null if the market was first read after the fall. */
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
