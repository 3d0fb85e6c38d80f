import type { Assessment, Phase } from "#src/measure/assessment.ts";
import type { Confidence } from "#src/measure/confidence/finding.ts";

/** The contract's enumerated words. No other file of the API spells the Spanish ones. */

export const STATE_WORD = {
  ok: "ok",
  blocked: "bloqueado_dato",
  sizeBlocked: "bloqueado_tamano_amm",
} as const;

export const QUALITY_WORD = { sufficient: "suficiente", insufficient: "insuficiente" } as const;

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

/** The words of a table, as an enumeration. */
export function wordsOf<Word extends string>(table: Readonly<Record<string, Word>>): Word[] {
  return Object.values(table);
}
