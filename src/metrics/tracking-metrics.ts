import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { toNumber } from "#src/units/to-number.ts";
import { gauge, knownBy, type Metric } from "./exposition.ts";

const STREAMS = ["grpc", "websocket", "polling"] as const;

export type Freshness = Pick<TrackerHealth, "chainAgeMs" | "slotLag" | "headSlot" | "stream">;

/** How fresh the chain data is; null, and no samples, in a process without chain data. */
export function freshnessMetrics(health: Freshness | null): readonly Metric[] {
  if (health === null) return [];
  const { chainAgeMs, slotLag, headSlot, stream } = health;
  return [
    gauge(
      "exitability_chain_age_seconds",
      "Now minus the block time of the newest clock read; absent before the first one.",
      chainAgeMs === null ? null : chainAgeMs / 1_000,
    ),
    gauge(
      "exitability_chain_slot_lag",
      "Slots from the newest clock read to the newest slot that the node announced; absent while either is unknown.",
      slotLag,
    ),
    gauge(
      "exitability_chain_head_slot",
      "The newest slot that the node announced; absent before the first one.",
      headSlot === null ? null : toNumber(headSlot),
    ),
    {
      name: "exitability_chain_stream",
      help: "1 for the stream over which changes arrive, with the configured one; polling: no stream delivers slots.",
      type: "gauge",
      samples:
        stream === null
          ? []
          : STREAMS.map((inUse) => ({
              labels: { in_use: inUse, configured: stream.configured },
              value: inUse === stream.inUse ? 1 : 0,
            })),
    },
  ];
}

/** Tracked objects and backlogs. */
export function trackingMetrics(health: TrackerHealth, nowMs: number): readonly Metric[] {
  const { readsFailingSinceMs, loads } = health;
  return [
    gauge(
      "exitability_chain_reads_failing_seconds",
      "Time since reads of the chain began to fail; absent while they succeed.",
      readsFailingSinceMs === null ? null : Math.max(0, nowMs - readsFailingSinceMs) / 1_000,
    ),
    gauge("exitability_tracked_tokens", "Tracked tokens.", health.tokens),
    gauge(
      "exitability_tracked_pools",
      "Pools of these tokens and of the mints they pay in.",
      health.pools,
    ),
    gauge("exitability_tracked_accounts", "Accounts that these pools depend on.", health.accounts),
    {
      name: "exitability_backlog",
      help: "Pools that wait for accounts, tokens that wait to be measured again, and streamed tokens that wait for the first search of their pools.",
      type: "gauge",
      samples: knownBy("of", {
        pools: health.waitingPools,
        tokens: health.waitingTokens,
        searches: health.waitingSearches,
      }),
    },
    {
      name: "exitability_token_loads",
      help: "Tokens that are being loaded, and tokens that wait to be loaded.",
      type: "gauge",
      samples: knownBy("state", { running: loads.running, waiting: loads.waiting }),
    },
  ];
}
