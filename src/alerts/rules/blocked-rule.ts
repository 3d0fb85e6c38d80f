import type { Assessment, BlockReason } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";

/** A token that is blocked for longer than this is reported to its watchers. */
const REPORT_AFTER_MS = 60_000;

/**
 * Whether a token's answer is blocked, and since when. `isReported`: the watchers were notified, or the
 * token was blocked when it was first seen: nothing changed then.
 */
export type BlockedSide =
  | { readonly kind: "unseen" }
  | { readonly kind: "open" }
  | {
      readonly kind: "blocked";
      readonly sinceMs: number;
      readonly sinceSlot: bigint;
      readonly isReported: boolean;
    };

export type BlockedChange = {
  readonly reason: BlockReason;
  readonly sinceMs: number;
  readonly slot: bigint;
};

/** Applies one answer. Blocks are timed by the chain, so that an error of the local clock changes nothing. */
export function applyBlocked(
  side: BlockedSide,
  assessment: Assessment,
  chainMs: number,
): { readonly side: BlockedSide; readonly turnedOn: BlockedChange | null } {
  const reason = blockedOf(assessment, chainMs);
  if (reason === null) return { side: { kind: "open" }, turnedOn: null };
  if (side.kind !== "blocked") {
    const isReported = side.kind === "unseen";
    const since = { sinceMs: chainMs, sinceSlot: assessment.slot };
    return { side: { kind: "blocked", ...since, isReported }, turnedOn: null };
  }
  if (side.isReported || chainMs - side.sinceMs <= REPORT_AFTER_MS) return { side, turnedOn: null };
  const turnedOn = { reason, sinceMs: side.sinceMs, slot: side.sinceSlot };
  return { side: { ...side, isReported: true }, turnedOn };
}

/** A state that is stale by the local clock alone is a clock that is wrong, not a token that is blocked. */
function blockedOf({ blocked, stateTimeMs }: Assessment, chainMs: number): BlockReason | null {
  if (blocked !== "stale") return blocked;
  const ageSeconds = (chainMs - stateTimeMs) / 1_000;
  return ageSeconds > CALIBRATION.block.staleSeconds ? blocked : null;
}
