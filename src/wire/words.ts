import type { Assessment, Phase } from "#src/measure/assessment.ts";
import type { Confidence } from "#src/measure/finding.ts";

/** The contract's words for ours; nowhere else are they spelt. */
export const PHASE_WORD = {
  "on-curve": "on-curve",
  migrating: "migrating",
  migrated: "migrated",
  listed: "listed",
} as const satisfies Record<Phase, string>;

export const AMM_OF_FAMILY = {
  pump: "pumpswap",
  raydium: "raydium",
  meteora: "meteora",
  other: "otro",
} as const satisfies Record<Assessment["family"], string>;

export const CONFIDENCE_WORD = {
  high: "alta",
  medium: "media",
  low: "baja",
} as const satisfies Record<Confidence, string>;

/** What took an exit away, by measure's word for it. */
export const CAUSE_WORD: Readonly<Record<string, string>> = {
  withdrawn: "liquidity-withdrawn",
  sold: "sells",
  fees: "fees-raised",
  paused: "trading-paused",
};
