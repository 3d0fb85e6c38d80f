import type { AccuracyReport } from "#src/accuracy/accuracy.ts";
import { known, type Metric } from "./exposition.ts";

/** What became of the swaps seen on tracked pools; a venue without any has no samples. */
export function accuracyMetrics({ venues }: Pick<AccuracyReport, "venues">): readonly Metric[] {
  return [
    {
      name: "exitability_swaps_last_hour",
      help: "Swaps of the last hour by venue: seen, replayed, and replayed exactly.",
      type: "gauge",
      samples: venues.flatMap(({ venue, windows: { hour } }) => [
        ...known(hour.seen, { venue, outcome: "seen" }),
        ...known(hour.replayed, { venue, outcome: "replayed" }),
        ...known(hour.exact, { venue, outcome: "exact" }),
      ]),
    },
    {
      name: "exitability_replays_exact_ratio",
      help: "Share of replays that came out exact, 0 to 1, as confidence goes by it; absent where nothing was replayed.",
      type: "gauge",
      samples: venues.flatMap(({ venue, exactPct }) =>
        known(exactPct === null ? null : exactPct / 100, { venue }),
      ),
    },
  ];
}
