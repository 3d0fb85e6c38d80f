import type { AccuracyReport } from "#src/accuracy/accuracy.ts";
import { toNumber } from "#src/units/to-number.ts";
import { known, type Metric } from "./exposition.ts";

/** Outcomes of the swaps seen on tracked pools; a venue without swaps has no samples. */
export function accuracyMetrics({ venues }: Pick<AccuracyReport, "venues">): readonly Metric[] {
  return [
    {
      name: "exitability_swaps_last_hour",
      help: "Swaps of the last hour by venue: seen, replayed, replayed exactly, and to within a basis point.",
      type: "gauge",
      samples: venues.flatMap(({ venue, windows: { hour } }) => [
        ...known(hour.seen, { venue, outcome: "seen" }),
        ...known(hour.replayed, { venue, outcome: "replayed" }),
        ...known(hour.exact, { venue, outcome: "exact" }),
        ...known(hour.within1Bp, { venue, outcome: "within-1bp" }),
      ]),
    },
    {
      name: "exitability_swaps_skipped_last_hour",
      help: "Swaps of the last hour that were seen and not replayed, by venue and reason; a reason that did not occur is absent.",
      type: "gauge",
      samples: venues.flatMap(({ venue, windows: { hour } }) =>
        Object.entries(hour.skipped).flatMap(([reason, count]) =>
          known(count ?? null, { venue, reason }),
        ),
      ),
    },
    {
      name: "exitability_replays_worst_bps_last_hour",
      help: "Largest difference of a replay of the last hour, basis points of the amount paid; absent if nothing was replayed.",
      type: "gauge",
      samples: venues.flatMap(({ venue, windows: { hour } }) => known(hour.worstBps, { venue })),
    },
    {
      name: "exitability_replays_exact_ratio",
      help: "Share of exact replays, 0 to 1, as used for confidence; absent if nothing was replayed.",
      type: "gauge",
      samples: venues.flatMap(({ venue, exactPct }) =>
        known(exactPct === null ? null : exactPct / 100, { venue }),
      ),
    },
    {
      name: "exitability_program_deployed_slot",
      help: "Slot in which the venue's program was last deployed; absent if unknown or not kept.",
      type: "gauge",
      samples: venues.flatMap(({ venue, program: { state } }) =>
        known(state.kind === "deployed" ? toNumber(state.slot) : null, { venue }),
      ),
    },
    {
      name: "exitability_program_upgrade_seen_timestamp_seconds",
      help: "When a new deployment of the venue's program was last seen; absent if never.",
      type: "gauge",
      samples: venues.flatMap(({ venue, program: { upgrade } }) =>
        known(upgrade === null ? null : upgrade.seenAtMs / 1_000, { venue }),
      ),
    },
  ];
}
