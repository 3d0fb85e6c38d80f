import Type, { type Static } from "typebox";
import type { ExitAnswer, ExitQuestion } from "#src/measure/questions/exit-question.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { lamportsToSol, toNumber } from "#src/units/to-number.ts";
import { IntegerText, NullableNumber, nullable, readAs } from "../values.ts";
import { STATE_WORD } from "../words.ts";
import { SizeLimitWord } from "./exit-more.ts";

const LEAST_PCT = 0.0001;
const MOST_PCT = 99;
const PPM_PER_PERCENT = 10_000;

/** `max_cost` in a JSON body, read as parts per million. */
export const MAX_COST_BODY_FIELD = readAs<bigint>(
  Type.Number({
    minimum: LEAST_PCT,
    maximum: MOST_PCT,
    description: `Adds within_cost to each token: the largest size that loses at most this share, fees included; in percent, rounded to ${LEAST_PCT}`,
  }),
  (value) =>
    typeof value === "number" && value >= LEAST_PCT && value <= MOST_PCT
      ? BigInt(Math.round(value * PPM_PER_PERCENT))
      : null,
  `max_cost must be a number from ${LEAST_PCT} to ${MOST_PCT} (percent).`,
);

/** The largest sale within a cost, without its routes. */
export const WithinCost = Type.Object(
  {
    max_cost_pct: Type.Number(),
    state: Type.Enum(["ok", STATE_WORD.blocked, "no_exit"], {
      description:
        "As in /exitability/at; no_exit: no size is within the cost; bloqueado_dato: unknown now",
    }),
    limited_by: SizeLimitWord,
    size_sol: NullableNumber,
    sold_units: nullable(IntegerText, "Base units of the token"),
    net_lamports: nullable(IntegerText),
    slippage_pct: NullableNumber,
  },
  { $id: "WithinCost" },
);
export type WithinCost = Static<typeof WithinCost>;

/** The largest sale of a token within the cost; unknown while the tracker can't be reached. */
export async function largestWithinCost(
  markets: Pick<Markets, "answerExit">,
  mint: Address,
  { profile, maxCostPpm }: Pick<ExitQuestion, "profile"> & { readonly maxCostPpm: bigint },
): Promise<WithinCost> {
  const question = { profile, sale: { maxCostPpm }, isDetailed: false };
  const answer = await markets.answerExit(mint, question).catch((cause: unknown) => {
    if (cause instanceof AppError) return null;
    throw cause;
  });
  return withinCostBody(answer, maxCostPpm);
}

/** The answer where the largest sale can't be found. */
export function unknownWithinCost(maxCostPpm: bigint): WithinCost {
  return withinCostBody(null, maxCostPpm);
}

function withinCostBody(answer: ExitAnswer | null, maxCostPpm: bigint): WithinCost {
  const sold = answer?.exit.kind === "sold" ? answer.exit : null;
  const isUnknown =
    answer === null || (answer.exit.kind === "unsellable" && answer.exit.reason === "blocked");
  return {
    max_cost_pct: toNumber(maxCostPpm) / 10_000,
    state: isUnknown ? STATE_WORD.blocked : sold === null ? "no_exit" : "ok",
    limited_by: answer?.limitedBy ?? null,
    size_sol: sold === null ? null : lamportsToSol(sold.sizeLamports),
    sold_units: sold === null ? null : String(sold.baseUnitsSold),
    net_lamports: sold === null ? null : String(sold.paidLamports),
    slippage_pct: sold?.slippagePct ?? null,
  };
}
