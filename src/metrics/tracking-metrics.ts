import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { toNumber } from "#src/units/to-number.ts";
import { known, type Metric } from "./exposition.ts";

/** How current what is known is; null, and nothing of it: the process has no part in it. */
export function currencyMetrics(
  health: Pick<TrackerHealth, "chainAgeMs" | "slotLag" | "headSlot"> | null,
): readonly Metric[] {
  if (health === null) return [];
  const { chainAgeMs, slotLag, headSlot } = health;
  return [
    gauge(
      "exitability_chain_age_seconds",
      "Now less the block time of the newest clock that was read; absent before the first one.",
      chainAgeMs === null ? null : chainAgeMs / 1_000,
    ),
    gauge(
      "exitability_chain_slot_lag",
      "Slots by which the newest clock lies behind the newest slot that the node told of; absent while either is unknown.",
      slotLag,
    ),
    gauge(
      "exitability_chain_head_slot",
      "The newest slot that the node told of; absent before the first one.",
      headSlot === null ? null : toNumber(headSlot),
    ),
  ];
}

/** What is tracked, and what waits. */
export function trackingMetrics(health: TrackerHealth, nowMs: number): readonly Metric[] {
  const { readsFailedAtMs, loads } = health;
  return [
    gauge(
      "exitability_chain_reads_failing_seconds",
      "How long reads of the chain have failed without one that worked; absent while they work.",
      readsFailedAtMs === null ? null : Math.max(0, nowMs - readsFailedAtMs) / 1_000,
    ),
    gauge("exitability_tracked_tokens", "Tokens that are kept current.", health.tokens),
    gauge("exitability_tracked_pools", "Pools of these tokens.", health.pools),
    gauge("exitability_tracked_accounts", "Accounts that these pools depend on.", health.accounts),
    {
      name: "exitability_backlog",
      help: "Pools that wait for parts of themselves, and tokens that wait to be measured again.",
      type: "gauge",
      samples: [
        ...known(health.waitingPools, { of: "pools" }),
        ...known(health.waitingTokens, { of: "tokens" }),
      ],
    },
    {
      name: "exitability_token_loads",
      help: "Tokens that are being found and read for the first time, and those that wait their turn.",
      type: "gauge",
      samples: [
        ...known(loads.running, { state: "running" }),
        ...known(loads.waiting, { state: "waiting" }),
      ],
    },
  ];
}

function gauge(name: string, help: string, value: number | null): Metric {
  return { name, help, type: "gauge", samples: known(value) };
}
