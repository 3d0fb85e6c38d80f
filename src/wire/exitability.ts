import Type, { type Static } from "typebox";
import type { Assessment, Ladder, Profile, StandardSize } from "#src/measure/assessment.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import { confidenceOf } from "#src/measure/findings.ts";
import type { Trend } from "#src/measure/trend.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { type Language, noticeOf } from "./notice.ts";
import { AMM_OF_FAMILY, CONFIDENCE_WORD, PHASE_WORD } from "./words.ts";

/** Above this size, in SOL, a token of family `otro` is not measured (contract.md, bloqueado_tamano_amm). */
const LARGEST_SIZE_FOR_OTHER = 10;

const NullableNumber = Type.Union([Type.Number(), Type.Null()]);

/** The body of a 200 answer: every field, always (contract.md section 2). */
export const ExitabilityBody = Type.Object(
  {
    state: Type.Enum(["ok", "bloqueado_dato", "bloqueado_tamano_amm"]),
    token_id: Type.String({ description: "Mint address" }),
    fase: Type.Enum(["on-curve", "migrating", "migrated", "listed"], {
      description: "Where the token stands between its launchpad's curve and the pools",
    }),
    amm: Type.Enum(["pumpswap", "raydium", "meteora", "otro"], {
      description: "The family that holds most of the depth near the mid",
    }),
    calidad_dato: Type.Enum(["suficiente", "insuficiente"]),
    confianza: Type.Enum(["alta", "media", "baja"]),
    aviso: Type.Union([Type.String(), Type.Null()], {
      description: "Why confianza is below alta, one sentence; null when it is alta",
    }),
    depth_sol: Type.Union([Type.Number(), Type.Null()], {
      description: "SOL that sellers could still take out of the token's pools together",
    }),
    precio_mid: Type.Union([Type.Number(), Type.Null()], {
      description: "SOL per whole token, before fees, at which the first unit would sell",
    }),
    score: Type.Union([Type.Number(), Type.Null()], { description: "0 to 100; higher is easier" }),
    exit_max_sol: Type.Union([Type.Number(), Type.Null()], {
      description: "The largest standard size whose modelled slippage is below 10 %",
    }),
    slippage: Type.Object({
      size_requested: Type.Number(),
      size_used: Type.Number(),
      slip_pct: NullableNumber,
      all: Type.Object(
        Object.fromEntries(STANDARD_SIZES.map((size) => [size, NullableNumber])) as Record<
          StandardSize,
          typeof NullableNumber
        >,
      ),
    }),
    trend: Type.Enum(["improving", "stable", "deteriorating"]),
    alerta_deterioro: Type.Boolean(),
    updated_at: Type.String({ description: "Time of the chain state it was measured on, UTC" }),
    profile: Type.Enum(["retail", "pro"]),
  },
  { $id: "Exitability" },
);
export type ExitabilityBody = Static<typeof ExitabilityBody>;

/** What an answer is made of, and how it was asked for. */
export type ExitabilityAnswer = {
  readonly assessment: Assessment;
  readonly trend: Trend;
  readonly isDeteriorating: boolean;
  readonly profile: Profile;
  readonly size: RequestedSize;
  readonly language: Language;
};

/** A size as asked for, in SOL, and the standard size it snaps to. */
export type RequestedSize = { readonly requested: number; readonly used: StandardSize };

const NOTHING_KNOWN = Object.fromEntries(STANDARD_SIZES.map((size) => [size, null])) as Record<
  StandardSize,
  null
>;

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
    state: measurement === null ? "bloqueado_dato" : isSizeBlocked ? "bloqueado_tamano_amm" : "ok",
    token_id: assessment.mint,
    fase: PHASE_WORD[assessment.phase],
    amm: AMM_OF_FAMILY[assessment.family],
    calidad_dato: measurement === null ? "insuficiente" : "suficiente",
    confianza:
      CONFIDENCE_WORD[assessment.blocked === null ? confidenceOf(assessment.findings) : "low"],
    aviso: noticeOf(assessment, answer.language),
    depth_sol: measurement && lamportsToSol(measurement.depthLamports),
    precio_mid: measurement?.midPrice ? priceOf(measurement.midPrice, assessment.decimals) : null,
    score: ladder === null ? null : ladder.score,
    exit_max_sol: ladder === null ? null : ladder.exitMaxSol,
    slippage: {
      size_requested: size.requested,
      size_used: Number(size.used),
      slip_pct: isSizeBlocked ? null : slippageAt(ladder, size.used),
      all: ladder === null ? NOTHING_KNOWN : ladder.slippagePct,
    },
    trend: answer.trend,
    alerta_deterioro: answer.isDeteriorating,
    updated_at: new Date(assessment.stateTimeMs).toISOString(),
    profile,
  };
}

function slippageAt(ladder: Ladder | null, size: StandardSize): number | null {
  return ladder === null ? null : ladder.slippagePct[size];
}

/** SOL as a number; exact to the lamport up to nine million SOL. */
export function lamportsToSol(lamports: bigint): number {
  return toNumber(lamports) / 1e9;
}

/** SOL per whole token of a price in lamports per base unit. */
export function priceOf(price: Ratio, decimals: number | null): number | null {
  if (decimals === null) return null;
  return ratioToNumber(
    price.numerator * 10n ** BigInt(decimals),
    price.denominator * 1_000_000_000n,
  );
}
