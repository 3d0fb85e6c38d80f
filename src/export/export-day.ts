import { assertNever } from "#src/platform/assert-never.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { exportAccuracyDay } from "./accuracy-day.ts";
import { exportHistoryDay } from "./history-day.ts";

export const EXPORTS = ["history", "accuracy"] as const;
export type ExportKind = (typeof EXPORTS)[number];

/** Whole days since 1970 of a date such as 2026-11-22, in UTC; null for another text. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text) return null;
  return ms / MS_PER_DAY;
}

/** Writes one day of a record as a Parquet file. @returns the number of rows */
export function exportDay(
  store: Pick<Store, "db">,
  { kind, day, path }: { readonly kind: ExportKind; readonly day: number; readonly path: string },
): Promise<number> {
  switch (kind) {
    case "history":
      return exportHistoryDay(store, { day, path });
    case "accuracy":
      return exportAccuracyDay(store, { day, path });
    default:
      return assertNever(kind);
  }
}
