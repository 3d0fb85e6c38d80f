import type { Assessment } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import type { Finding } from "#src/measure/finding.ts";
import { levelOf } from "#src/measure/findings.ts";
import { integerJson, parseIntegerJson } from "#src/platform/integer-json.ts";
import type { MarketSnapshot } from "./market-snapshot.ts";

/** A snapshot as text and back, for the store and for other processes. */
export type AssessedSnapshot = MarketSnapshot & { readonly kind: "assessed" };

/** Changes when a snapshot's shape does: text of another version is not read. */
const VERSION = 2;

export function snapshotText(snapshot: AssessedSnapshot): string {
  return integerJson({ version: VERSION, snapshot });
}

/** The snapshot, or null where the text is none of this version. */
export function parseSnapshot(text: string): AssessedSnapshot | null {
  const parsed = parseIntegerJson(text);
  return isWritten(parsed) ? parsed.snapshot : null;
}

/** Our own writing, told by its version: the fields are those that this version writes. */
function isWritten(value: unknown): value is { readonly snapshot: AssessedSnapshot } {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === VERSION &&
    "snapshot" in value
  );
}

/** The same measurement judged at a later time: it grows stale, and at last says nothing any more. */
export function agedAssessment(assessment: Assessment, nowMs: number): Assessment {
  const ageSeconds = Math.max(0, Math.floor((nowMs - assessment.stateTimeMs) / 1_000));
  const others = assessment.findings.filter(({ kind }) => kind !== "stale");
  const findings = inOrder(
    ageSeconds > CALIBRATION.confidence.ageMediumSeconds
      ? [{ kind: "stale", ageSeconds }, ...others]
      : others,
  );
  if (ageSeconds <= CALIBRATION.block.staleSeconds) return { ...assessment, findings };
  const blocked = assessment.blocked ?? "stale";
  return { ...assessment, findings, measurement: null, blocked };
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  const low = findings.filter((finding) => levelOf(finding) === "low");
  return [...low, ...findings.filter((finding) => levelOf(finding) !== "low")];
}
