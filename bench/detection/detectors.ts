import type { DeteriorationRules } from "#src/measure/calibration.ts";
import { applySample, initialDeterioration } from "#src/measure/series/deterioration.ts";
import type { Reading } from "./stage.ts";

/** Watches one market: each reading may turn its alert on or off, or change nothing. */
export type Watcher = (reading: Reading) => "on" | "off" | null;

export type NamedDetector = { readonly name: string; readonly watch: () => Watcher };

/** The product's own detector, the same code that the tracker runs. */
export function ownDetector(name: string, rules?: DeteriorationRules): NamedDetector {
  return {
    name,
    watch: () => {
      const state = initialDeterioration();
      return ({ timeMs, seen, basis }) => {
        const change = applySample(
          state,
          { timeMs, c10Sol: seen?.c10Sol ?? null, basis, losses: seen?.losses ?? null },
          rules,
        );
        return change?.kind ?? null;
      };
    },
  };
}

const WINDOW_MS = 600_000;

/** What a simple tool does: alerts while a figure is at most half of its highest in ten minutes. */
function halvedDetector(
  name: string,
  figureOf: (seen: NonNullable<Reading["seen"]>) => number,
): NamedDetector {
  return {
    name,
    watch: () => {
      let peaks: { timeMs: number; figure: number }[] = [];
      let isOn = false;
      return ({ timeMs, seen }) => {
        if (seen === null) return null;
        const figure = figureOf(seen);
        while (peaks.length > 0 && (peaks.at(-1)?.figure ?? 0) <= figure) peaks.pop();
        peaks.push({ timeMs, figure });
        if ((peaks[0]?.timeMs ?? 0) < timeMs - WINDOW_MS) {
          peaks = peaks.filter((peak) => peak.timeMs >= timeMs - WINDOW_MS);
        }
        const wasOn = isOn;
        isOn = figure <= (peaks[0]?.figure ?? 0) / 2;
        if (isOn === wasOn) return null;
        return isOn ? "on" : "off";
      };
    },
  };
}

export const DETECTORS: readonly NamedDetector[] = [
  ownDetector("exitability"),
  halvedDetector("depth halved in 10 min", (seen) => seen.depthSol),
  halvedDetector("price halved in 10 min", (seen) => seen.price),
];
