import Type from "typebox";
import { type Assessment, bySize, type Ladder, type Profile } from "#src/measure/assessment.ts";
import { slippageBySize } from "#src/measure/ladder.ts";
import { priceInSol, toNumber } from "#src/units/to-number.ts";
import { AddressText, NullableNumber, ProfileWord, Timestamp, timestamp } from "../values.ts";

/** What the answers about a token's ladders at present begin with. */
export const MEASURED_SCHEMA = {
  token_id: AddressText,
  profile: ProfileWord,
  slot: Type.Integer(),
  updated_at: Timestamp,
  age_seconds: Type.Number({ minimum: 0 }),
};

export type MeasuredInput = {
  readonly measured: Assessment;
  readonly profile: Profile;
  readonly nowMs: number;
};

export function measuredFields({ measured, profile, nowMs }: MeasuredInput) {
  return {
    token_id: measured.mint,
    profile,
    slot: toNumber(measured.slot),
    updated_at: timestamp(measured.stateTimeMs),
    age_seconds: Math.max(0, (nowMs - measured.stateTimeMs) / 1_000),
  };
}

/** @param slippage the meaning of the percentages */
export function ladderSchema(slippage: string) {
  return {
    score: Type.Number({ minimum: 0, maximum: 100 }),
    exit_max_sol: Type.Number({ description: "The largest standard size below 10 %; 0: none" }),
    slippage: Type.Object(
      bySize(() => NullableNumber),
      {
        description: `Percent by size in SOL: ${slippage}; null: can't be sold whole, or above 10 SOL where amm is otro`,
      },
    ),
  };
}

export function ladderFields(ladder: Ladder) {
  const { score, exitMaxSol } = ladder;
  return { score, exit_max_sol: exitMaxSol, slippage: slippageBySize(ladder) };
}

/** SOL per whole token; null where nothing can be sold. */
export function midField({
  measurement,
  decimals,
}: Pick<Assessment, "measurement" | "decimals">): number | null {
  const midPrice = measurement?.midPrice ?? null;
  return midPrice === null ? null : priceInSol(midPrice, decimals);
}
