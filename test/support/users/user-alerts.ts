import { type RecordOptions, recordFindings } from "#src/alerts/record-findings.ts";
import type { Store } from "#src/store/schema.ts";
import type { NewUserAlert } from "#src/store/user-alerts.ts";

/** Records alerts as the rules do, in the moment in which they are found. @returns the ids of those that are new */
export function recordUserAlerts(
  store: Store,
  alerts: readonly NewUserAlert[],
  options: Pick<RecordOptions, "nowMs" | "newUid">,
): Promise<readonly bigint[]> {
  const found = alerts.map((alert) => {
    const isOfToken = alert.kind === "deterioration" || alert.kind === "blocked";
    return { alert, isOfToken, isCrossing: !isOfToken };
  });
  return recordFindings(store, [{ kind: "alerts", alertChanges: [], found }], {
    ...{ ...options, sides: [], foundAtMs: options.nowMs },
    onRecording: () => undefined,
  });
}
