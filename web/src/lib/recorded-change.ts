import type { Alert } from "#client/openapi.ts";

/** Below this no size is measured: the recorded figure is a floor, not a capacity. */
const FLOOR_SOL = 0.0101;

/** SOL, or null: unknown. */
export type Change = { readonly before: number | null; readonly after: number | null };

type Recorded = Pick<
  Alert,
  "cause" | "c10_before_sol" | "c10_after_sol" | "depth_before_sol" | "depth_after_sol"
>;

/** A capacity as recorded with an alert: at the floor it is zero. */
export function recordedCapacity(sol: number | null): number | null {
  return sol !== null && sol <= FLOOR_SOL ? 0 : sol;
}

/** Whether trading was paused in every pool: a figure that is missing after it is zero, and not unknown. */
export function isWholePause({ cause, c10_after_sol }: Pick<Recorded, "cause" | "c10_after_sol">) {
  return cause === "trading-paused" && (recordedCapacity(c10_after_sol) ?? 0) === 0;
}

/** From what to what the exit changed, as recorded with an alert. */
export function recordedChange(alert: Recorded): {
  readonly capacity: Change;
  readonly depth: Change;
} {
  const missing = isWholePause(alert) ? 0 : null;
  return {
    capacity: {
      before: recordedCapacity(alert.c10_before_sol),
      after: recordedCapacity(alert.c10_after_sol) ?? missing,
    },
    depth: { before: alert.depth_before_sol, after: alert.depth_after_sol ?? missing },
  };
}
