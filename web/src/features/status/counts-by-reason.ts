import type { AccuracyWindow } from "#client/openapi.ts";
import type { WindowName } from "./use-accuracy.ts";

export type SkippedCount = {
  readonly program: string;
  readonly reason: string;
  readonly count: number;
};

type Program = {
  readonly program: string;
  readonly windows: Readonly<Record<WindowName, Pick<AccuracyWindow, "skipped">>>;
};

/** Skipped swaps by program and reason: programs in their order, the commonest reason first. */
export function countsByReason(
  venues: readonly Program[],
  span: WindowName,
): readonly SkippedCount[] {
  return venues.flatMap(({ program, windows }) =>
    Object.entries(windows[span].skipped)
      .map(([reason, count]) => ({ program, reason, count }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count),
  );
}
