import type { Assessment } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { worstFirst } from "#src/measure/confidence/findings.ts";
import { restoredLevels, type StoredLevels, storedLevels } from "#src/measure/series/day-levels.ts";
import type { KeptLevels } from "#src/measure/series/deterioration.ts";
import { integerJson, parseIntegerJson } from "#src/platform/integer-json.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";

/** A snapshot that can be stored or sent to other processes as text. */
export type AssessedSnapshot = MarketSnapshot & { readonly kind: "assessed" };

/** Increased when the shape of a snapshot changes: text of another version is not read. */
const VERSION = 5;

/** @param levels what the next process measures falls from; not part of the answer */
export function snapshotText(snapshot: AssessedSnapshot, levels: KeptLevels | null = null): string {
  const stored = levels === null ? {} : { levels: storedKept(levels) };
  return integerJson({ version: VERSION, snapshot, ...stored });
}

/** The levels stored with a snapshot; null if there are none, or the text is of another version. */
export function parseLevels(text: string): KeptLevels | null {
  const parsed = parseIntegerJson(text);
  if (!isWritten(parsed) || parsed.levels === undefined) return null;
  const { unexplained, levels } = parsed.levels;
  return { unexplained, levels: restoredLevels(levels) };
}

type StoredKept = { readonly unexplained: number; readonly levels: StoredLevels };

function storedKept({ unexplained, levels }: KeptLevels): StoredKept {
  return { unexplained, levels: storedLevels(levels) };
}

/** The snapshot; null if the text is of another version. */
export function parseSnapshot(text: string): AssessedSnapshot | null {
  const parsed = parseIntegerJson(text);
  return isWritten(parsed) ? parsed.snapshot : null;
}

/** The text was written by this service: its version determines the fields. */
function isWritten(
  value: unknown,
): value is { readonly snapshot: AssessedSnapshot; readonly levels?: StoredKept } {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === VERSION &&
    "snapshot" in value
  );
}

/** What differs where a measurement is carried on to a later slot. */
export type Renewal = Pick<Assessment, "findings" | "slot" | "stateTimeMs">;

const RENEWED: ReadonlySet<string> = new Set<keyof Renewal>(["findings", "slot", "stateTimeMs"]);
const NESTED: ReadonlySet<string> = new Set<keyof AssessedSnapshot>(["assessment"]);

/** The renewal that turns `before` into `after`; null if any other field is not the same value, or not the same object. */
export function renewalOf(before: AssessedSnapshot, after: AssessedSnapshot): Renewal | null {
  const isSame =
    isSameBut(NESTED, before, after) && isSameBut(RENEWED, before.assessment, after.assessment);
  if (!isSame) return null;
  const { findings, slot, stateTimeMs } = after.assessment;
  return { findings, slot, stateTimeMs };
}

export function renew(snapshot: AssessedSnapshot, renewal: Renewal): AssessedSnapshot {
  return { ...snapshot, assessment: { ...snapshot.assessment, ...renewal } };
}

/** Whether two objects have the same fields, with the same values in all but some of them. */
function isSameBut<Fields extends object>(
  except: ReadonlySet<string>,
  one: Fields,
  other: Fields,
): boolean {
  for (const key in one)
    if (!(key in other) || (!except.has(key) && one[key] !== other[key])) return false;
  for (const key in other) if (!(key in one)) return false;
  return true;
}

/** The same measurement assessed at a later time: the same object at first, later marked as stale, and at last blocked. */
export function agedAssessment(assessment: Assessment, nowMs: number): Assessment {
  const ageSeconds = Math.max(0, Math.floor((nowMs - assessment.stateTimeMs) / 1_000));
  const isStale = ageSeconds > CALIBRATION.confidence.ageMediumSeconds;
  const others = assessment.findings.filter(({ kind }) => kind !== "stale");
  if (!isStale && others.length === assessment.findings.length) return assessment;
  const findings = worstFirst(isStale ? [{ kind: "stale", ageSeconds }, ...others] : others);
  if (ageSeconds <= CALIBRATION.block.staleSeconds) return { ...assessment, findings };
  const blocked = assessment.blocked ?? "stale";
  return { ...assessment, findings, measurement: null, blocked };
}
