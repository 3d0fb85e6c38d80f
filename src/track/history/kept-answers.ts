import { pricedPart } from "#src/measure/series/capacity-series.ts";
import { DETECTORS, type KeptLevels } from "#src/measure/series/deterioration.ts";
import { CAUSES, NO_LOSSES } from "#src/measure/series/losses.ts";
import type { StoredAlert } from "#src/store/alerts.ts";
import type { SavedSnapshot } from "#src/store/tokens.ts";
import {
  type AssessedSnapshot,
  parseLevels,
  parseSnapshot,
  snapshotText,
} from "../snapshot-text.ts";
import type { KeptSeries, OpenAlert } from "./series.ts";

/** An answer with the levels that the next process measures falls from. */
export type KeptAnswer = { readonly snapshot: AssessedSnapshot; readonly levels: KeptLevels };

/** The alert that an earlier process left on; null: of a detector that no longer exists. */
export function openAlertOf(stored: StoredAlert): OpenAlert | null {
  const detector = DETECTORS.find((name) => name === stored.detector);
  if (detector === undefined) return null;
  const kind = CAUSES.find((name) => name === stored.cause);
  const { c10Sol: levelSol } = stored.before;
  const { c10Sol } = stored.after;
  const { share } = stored;
  return {
    detector,
    cause: kind === undefined || share === null ? null : { kind, share },
    causes: stored.causes ?? NO_LOSSES,
    startedAtMs: stored.startedAtMs,
    levelSol,
    c10Sol,
  };
}

/** The levels of a stored answer, and the answer; null where its text is of another version, or nothing was priced. */
export function keptSeriesOf(text: string): KeptSeries | null {
  const levels = parseLevels(text);
  const last = parseSnapshot(text)?.assessment;
  return levels === null || last === undefined || pricedPart(last) === null
    ? null
    : { levels, last };
}

/** An answer with its levels, as the database keeps it. */
export function savedSnapshot(tokenId: bigint, { snapshot, levels }: KeptAnswer): SavedSnapshot {
  return { tokenId, snapshot: snapshotText(snapshot, levels) };
}
