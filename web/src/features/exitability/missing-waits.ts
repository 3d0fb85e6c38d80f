import type { PastDay } from "#client/openapi.ts";
import type { StandardSize } from "../../lib/standard-sizes.ts";

export const WAITED = ["10", "60", "300"] as const;
export type Waited = (typeof WAITED)[number];

/** The times waited of which a day has too few samples at a size. */
export function missingWaits(day: Pick<PastDay, "waiting">, size: StandardSize): readonly Waited[] {
  return WAITED.filter((seconds) => (day.waiting[size]?.[seconds] ?? null) === null);
}
