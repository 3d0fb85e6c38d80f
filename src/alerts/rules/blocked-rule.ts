import type { Assessment, BlockReason } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";

/** A token that is blocked for longer than this is reported to its watchers. */
const REPORT_AFTER_MS = 60_000;

/** That a token's answer is blocked: its present reason, and since when this process has seen it so. */
export type Block = {
  readonly reason: BlockReason;
  readonly sinceMs: number;
  /** The slot at which it was first seen. */
  readonly slot: bigint;
  /** It was seen at the first reading since the start, before which nothing was searched. */
  readonly isOfStart: boolean;
};

/**
 * The token's block after one answer; null: it is not blocked. Blocks are timed by the chain, so that an error of the
 * local clock changes nothing.
 */
export function blockAfter(
  before: Block | null,
  assessment: Assessment,
  { chainMs, isFirst }: { readonly chainMs: number; readonly isFirst: boolean },
): Block | null {
  const reason = blockedOf(assessment, chainMs);
  if (reason === null) return null;
  return {
    ...(before ?? { sinceMs: chainMs, slot: assessment.slot, isOfStart: isFirst }),
    reason,
  };
}

/**
 * Applies the token's block to an entry. `isReported` outlives the process. A token that was blocked when the entry was
 * first seen (`null`) counts as reported: nothing changed then.
 */
export function applyBlock(
  isReported: boolean | null,
  block: Block | null,
  chainMs: number,
): { readonly isReported: boolean; readonly turnedOn: Block | null } {
  if (block === null) return { isReported: false, turnedOn: null };
  if (isReported !== false) return { isReported: true, turnedOn: null };
  // After a start the searches of tokens without a price are repeated in turn, which can take many minutes.
  const isUnsearched = block.isOfStart && block.reason === "search-incomplete";
  const isDue = !isUnsearched && chainMs - block.sinceMs > REPORT_AFTER_MS;
  return isDue ? { isReported: true, turnedOn: block } : { isReported, turnedOn: null };
}

/** A state that is stale by the local clock alone is a clock that is wrong, not a token that is blocked. */
function blockedOf({ blocked, stateTimeMs }: Assessment, chainMs: number): BlockReason | null {
  if (blocked !== "stale") return blocked;
  const ageSeconds = (chainMs - stateTimeMs) / 1_000;
  return ageSeconds > CALIBRATION.block.staleSeconds ? blocked : null;
}
