import Type, { type Static } from "typebox";
import { type Assessment, bySize, type Profile } from "#src/measure/assessment.ts";
import { CALIBRATION } from "#src/measure/calibration.ts";
import { confidenceOf } from "#src/measure/confidence/findings.ts";
import { slippageAtSize, slippageBySize } from "#src/measure/ladder.ts";
import type { RequestedSize } from "#src/measure/questions/requested-size.ts";
import type { Trend } from "#src/measure/series/trend.ts";
import { lamportsToSol, priceInSol } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { type Language, noticeOf } from "../notice.ts";
import { NullableNumber, nullable, timestamp } from "../values.ts";
import {
  AMM_OF_FAMILY,
  CONFIDENCE_WORD,
  PHASE_WORD,
  QUALITY_WORD,
  STATE_WORD,
  wordsOf,
} from "../words.ts";

/** In SOL: larger sizes of a token of another family are not measured (contract.md section 2). */
const LARGEST_SIZE_FOR_OTHER = lamportsToSol(CALIBRATION.otherFamilyLargestLamports);

/** The body of a 200 answer: every field, always (contract.md section 2). */
export const ExitabilityBody = Type.Object(
  {
    state: Type.Enum(wordsOf(STATE_WORD)),
    token_id: Type.String({ description: "Mint address" }),
    fase: Type.Enum(wordsOf(PHASE_WORD), {
      description: "Phase of the token between its launchpad's curve and the pools",
    }),
    amm: Type.Enum(wordsOf(AMM_OF_FAMILY), {
      description: "The family that holds most of the depth near the mid",
    }),
    calidad_dato: Type.Enum(wordsOf(QUALITY_WORD)),
    confianza: Type.Enum(wordsOf(CONFIDENCE_WORD)),
    aviso: nullable(
      Type.String(),
      "Why confianza is below alta, one sentence; null when it is alta",
    ),
    depth_sol: nullable(
      Type.Number(),
      "SOL that sellers could still take out of the token's pools together",
    ),
    precio_mid: nullable(
      Type.Number(),
      "SOL per whole token, before fees: the median of the pools' prices, weighted by the depth near the market; null where nothing can be sold",
    ),
    score: nullable(Type.Number(), "0 to 100; higher is easier"),
    exit_max_sol: nullable(
      Type.Number(),
      "The largest standard size whose modelled slippage is below 10 %",
    ),
    slippage: Type.Object({
      size_requested: Type.Number(),
      size_used: Type.Number(),
      slip_pct: NullableNumber,
      all: Type.Object(bySize(() => NullableNumber)),
    }),
    trend: Type.Enum(["improving", "stable", "deteriorating"]),
    alerta_deterioro: Type.Boolean(),
    updated_at: Type.String({ description: "Time of the chain state it was measured on, UTC" }),
    profile: Type.Enum(["retail", "pro"]),
    commitment: Type.Optional(
      Type.Literal("processed", {
        description: "Only if the service follows processed state, which may be taken back",
      }),
    ),
  },
  { $id: "Exitability" },
);
export type ExitabilityBody = Static<typeof ExitabilityBody>;

export const EXITABILITY_EXAMPLE: ExitabilityBody = {
  state: "ok",
  token_id: EXAMPLE_MINT,
  fase: "listed",
  amm: "raydium",
  calidad_dato: QUALITY_WORD.sufficient,
  confianza: CONFIDENCE_WORD.medium,
  aviso:
    "There is less than 5 minutes of history: the trend is not known yet, and an alert may be missing.",
  depth_sol: 329.805028393,
  precio_mid: 0.000005,
  score: 99.4,
  exit_max_sol: 10,
  slippage: {
    size_requested: 5,
    size_used: 5,
    slip_pct: 1.4946,
    all: { "0.5": 0.3759, "1": 0.5015, "2": 0.7516, "5": 1.4946, "10": 2.7085, "50": 13.9467 },
  },
  trend: "stable",
  alerta_deterioro: false,
  updated_at: "2026-11-21T01:10:10.000Z",
  profile: "retail",
};

/** A measurement and the question that it answers. */
export type ExitabilityAnswer = {
  readonly assessment: Assessment;
  readonly trend: Trend;
  readonly isDeteriorating: boolean;
  readonly profile: Profile;
  readonly size: RequestedSize;
  readonly language: Language;
};

const NOTHING_KNOWN = bySize(() => null);

/** The contract's JSON of an assessment. Blocked answers hold null where nothing is known, never 0. */
export function exitabilityBody(answer: ExitabilityAnswer): ExitabilityBody {
  const { assessment, profile, size } = answer;
  const { measurement } = assessment;
  const ladder = measurement === null ? null : measurement[profile];
  const isSizeBlocked =
    measurement !== null &&
    assessment.family === "other" &&
    size.requested > LARGEST_SIZE_FOR_OTHER;
  return {
    state: STATE_WORD[measurement === null ? "blocked" : isSizeBlocked ? "sizeBlocked" : "ok"],
    token_id: assessment.mint,
    fase: PHASE_WORD[assessment.phase],
    amm: AMM_OF_FAMILY[assessment.family],
    calidad_dato: QUALITY_WORD[measurement === null ? "insufficient" : "sufficient"],
    confianza: CONFIDENCE_WORD[confidenceOf(assessment)],
    aviso: noticeOf(assessment, answer.language),
    depth_sol: measurement && lamportsToSol(measurement.depthLamports),
    precio_mid: measurement?.midPrice
      ? priceInSol(measurement.midPrice, assessment.decimals)
      : null,
    score: ladder === null ? null : ladder.score,
    exit_max_sol: ladder === null ? null : ladder.exitMaxSol,
    slippage: {
      size_requested: size.requested,
      size_used: Number(size.used),
      slip_pct: isSizeBlocked || ladder === null ? null : slippageAtSize(ladder, size.used),
      all: ladder === null ? NOTHING_KNOWN : slippageBySize(ladder),
    },
    trend: answer.trend,
    alerta_deterioro: answer.isDeteriorating,
    updated_at: timestamp(assessment.stateTimeMs),
    profile,
    ...(assessment.commitment === undefined ? {} : { commitment: assessment.commitment }),
  };
}
