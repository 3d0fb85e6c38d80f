import Type from "typebox";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import type { ExitQuery, ExitSize } from "#src/measure/questions/exit-at.ts";
import type { ExitAnswer, ExitQuestion } from "#src/measure/questions/exit-question.ts";
import type { AskedExit } from "#src/measure/questions/max-cost.ts";
import {
  parseSizeLamports,
  parseUnits,
  SIZE_RANGE_SOL,
  SIZE_RANGE_TEXT,
} from "#src/measure/questions/requested-size.ts";
import type { ExitRoute } from "#src/measure/sale/exit-route.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { lamportsToSol, percentOf, priceInSol, ratioToNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, IntegerText, NullableNumber, nullable, readAs } from "../values.ts";
import { STATE_WORD } from "../words.ts";
import { ExitMore, exitMore, MAX_COST_FIELD, NO_MORE } from "./exit-more.ts";
import { MEASURED_SCHEMA, measuredFields } from "./ladder-fields.ts";
import {
  answerNow,
  assessmentOfSale,
  NO_SLOT_FIELD,
  PROFILE_FIELD,
  TOKEN_ERRORS,
  TOKEN_OPERATION,
} from "./token-question.ts";

export const UNSELLABLE_REASONS = [
  "blocked",
  "no-market",
  "exceeds-supply",
  "size-not-allowed",
  "too-small",
  "insufficient-liquidity",
] as const;

/** Nothing is known then: not the same as no exit. */
const UNKNOWN_REASONS: ReadonlySet<string> = new Set(["blocked", "no-usd-price"]);
const BLOCKED = { kind: "unsellable", reason: "blocked" } as const;

const Leg = Type.Object({
  program: Type.String(),
  pool: AddressText,
  input_mint: AddressText,
  output_mint: AddressText,
  amount_in: IntegerText,
  amount_out: IntegerText,
  instruction: nullable(
    Type.String(),
    "The one instruction that makes this swap together with its neighbours, for which net_sol is computed; null: a swap of its own",
  ),
});

/** A sale of any size. Where it can't be made whole, `reason` says why and every figure is null. */
const ExitAtBody = Type.Object(
  {
    ...MEASURED_SCHEMA,
    state: Type.Enum(["ok", STATE_WORD.blocked, "no_exit"], {
      description: "no_exit: it can't be sold whole, for sure; bloqueado_dato: unknown now",
    }),
    reason: nullable(
      Type.Enum([...UNSELLABLE_REASONS, "above-max-cost", "no-usd-price"]),
      `Why it can't be sold whole; null where it can. blocked: as in exitability; no-market: no pool buys a first unit; exceeds-supply: more than there is of the token; size-not-allowed: above 10 SOL where amm is otro, or not ${SIZE_RANGE_TEXT} with unit=usd; too-small: worth less than a base unit or a lamport; insufficient-liquidity: the pools run out; above-max-cost: no size from ${SIZE_RANGE_SOL.minimum} SOL costs as little as max_cost; no-usd-price: no stable pool is followed that gives the price of SOL`,
    ),
    size_sol: nullable(Type.Number(), "Worth at the mid price"),
    tokens_sold: nullable(Type.Number(), "Whole tokens"),
    net_sol: nullable(Type.Number(), "What arrives, after every fee but the network's"),
    net_lamports: nullable(IntegerText, "The same, exact"),
    slippage_pct: NullableNumber,
    price_impact_pct: nullable(Type.Number(), "The part of the slippage that is not fees"),
    average_price: nullable(Type.Number(), "SOL per whole token"),
    capacity_sol: nullable(
      Type.Number({ minimum: 0, maximum: SIZE_RANGE_SOL.maximum }),
      `The largest size, up to ${SIZE_RANGE_SOL.maximum} SOL, that sells split at a loss of at most 10 %; null where blocked`,
    ),
    routes: Type.Array(
      Type.Object({
        share_pct: Type.Number(),
        net_sol: Type.Number(),
        legs: Type.Array(Leg, { minItems: 1 }),
      }),
    ),
    ...ExitMore,
  },
  { $id: "ExitAt" },
);

const EXIT_AT_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "retail",
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  age_seconds: 0.4,
  state: "ok",
  reason: null,
  size_sol: 2.5,
  tokens_sold: 500000,
  net_sol: 2.4782,
  net_lamports: "2478200000",
  slippage_pct: 0.872,
  price_impact_pct: 0.62,
  average_price: 0.0000049564,
  capacity_sol: 35.1,
  routes: [
    {
      share_pct: 100,
      net_sol: 2.4782,
      legs: [
        {
          program: "raydium-cpmm",
          pool: "7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5",
          input_mint: EXAMPLE_MINT,
          output_mint: WSOL,
          amount_in: "500000000000",
          amount_out: "2478200000",
          instruction: null,
        },
      ],
    },
  ],
  max_cost: null,
  usd: null,
  detail: {
    best_possible_lamports: null,
    gap_bps: null,
    round_trip: {
      tokens_units: "495720000000",
      buy_cost_pct: 0.856,
      back_lamports: "2478350000",
      loss_pct: 0.866,
    },
  },
};

/** A size of any amount, in SOL or in whole tokens. */
export const EXIT_SIZE_FIELDS = {
  size: readAs(
    Type.String({
      pattern: "^[0-9]{1,20}([.][0-9]{1,18})?$",
      description: `${SIZE_RANGE_TEXT}, to the lamport; or whole tokens with unit=token, above 0 and no finer than the token's decimals. Plain digits.`,
      example: "2.5",
    }),
    (text) => (typeof text === "string" ? text : null),
    `size must be ${SIZE_RANGE_TEXT}, in plain digits.`,
  ),
  unit: Type.Enum(["sol", "token"], { default: "sol", description: "Unit of size" }),
};

export const getExitAt = defineOperation({
  ...TOKEN_OPERATION,
  path: "/api/token/{id}/exitability/at",
  id: "getExitAt",
  tag: "exitability",
  summary: "One sale of any size, exact, with its route",
  description:
    "Not snapped to a standard size: what arrives to the lamport, the average price, the price impact apart from fees, and every leg of the way. With max_cost instead of size, the largest size within that cost. detail=full adds the bound of the split and the round trip. at_slot is refused: past pools are not stored.",
  query: Type.Object({
    profile: PROFILE_FIELD,
    at_slot: NO_SLOT_FIELD,
    ...EXIT_SIZE_FIELDS,
    size: Type.Optional(EXIT_SIZE_FIELDS.size),
    max_cost: MAX_COST_FIELD,
    unit: Type.Enum(["sol", "token", "usd"], {
      default: "sol",
      description:
        "Unit of size. usd: worth that much by the price of the followed stablecoin pools",
    }),
    detail: Type.Enum(["plain", "full"], {
      default: "plain",
      description: "full: also the bound of the split and the round trip",
    }),
  }),
  responses: {
    200: {
      description: "The sale; or, if it can't be made whole, the reason and nulls",
      schema: ExitAtBody,
      example: EXIT_AT_EXAMPLE,
    },
  },
  ...TOKEN_ERRORS,
  errors: [...TOKEN_ERRORS.errors, "invalid_profile", "invalid_size", "invalid_body"],
  prepare: ({ query: { size, max_cost: maxCostPpm, unit } }) => saleOf({ size, maxCostPpm, unit }),
  handler: ({ params: { id }, query, question: saleIn }, { markets, clock }) =>
    answerNow(markets, { id, profile: query.profile }, async ({ assessment: before }, mint) => {
      const { profile, unit, max_cost: maxCostPpm = null, detail } = query;
      const sale = saleIn(before.decimals);
      const question = sale && { profile, sale, isDetailed: detail === "full" };
      const answer = question === null ? null : await answerOf(markets, mint, question);
      const exit = answer?.exit ?? BLOCKED;
      const assessment = assessmentOfSale(markets, before);
      const more =
        answer === null ? NO_MORE : exitMore(answer, { maxCostPpm, inUsd: unit === "usd" });
      return {
        body: { ...exitAtBody({ assessment, profile, exit, nowMs: clock.nowMs() }), ...more },
      };
    }),
});

/** A plain sale is asked as other parts ask it; null where no market is held. */
async function answerOf(
  markets: Pick<Markets, "exit" | "answerExit">,
  mint: Address,
  question: ExitQuestion,
): Promise<ExitAnswer | null> {
  const { profile, sale, isDetailed } = question;
  if (isDetailed || "maxCostPpm" in sale || "sizeMicroUsd" in sale) {
    return markets.answerExit(mint, question);
  }
  const exit = await markets.exit(mint, { profile, ...sale });
  return exit && { exit, limitedBy: null, microUsd: null, detail: null };
}

/** The sale, by the token's decimals; null while they are unknown and the size needs them. */
type SaleOf = (decimals: number | null) => ExitQuestion["sale"] | null;

/** A sale of so many lamports or base units. */
type SizedSaleOf = (decimals: number | null) => ExitSize | null;

const MICRO_USD_DECIMALS = 6;

type SizeText = {
  readonly size: string | undefined;
  readonly maxCostPpm: bigint | undefined;
  readonly unit: "sol" | "token" | "usd";
};

/** @throws AppError invalid_size */
export function saleOfSize(query: {
  readonly size: string;
  readonly unit: "sol" | "token";
  readonly profile: Profile;
}): (decimals: number | null) => ExitQuery | null {
  const { size, unit, profile } = query;
  const saleIn = unit === "sol" ? saleOfSol(size) : saleOfTokens(size);
  return (decimals) => {
    const sale = saleIn(decimals);
    return sale && { profile, ...sale };
  };
}

/** @throws AppError invalid_size */
function saleOf({ size, maxCostPpm, unit }: SizeText): SaleOf {
  if (maxCostPpm !== undefined && size === undefined) return () => ({ maxCostPpm });
  if (size === undefined || maxCostPpm !== undefined) {
    throw invalidSize("Send either size or max_cost, and one of them only.");
  }
  return unit === "sol" ? saleOfSol(size) : unit === "usd" ? saleOfUsd(size) : saleOfTokens(size);
}

/** @throws AppError invalid_size */
function saleOfUsd(size: string): SaleOf {
  const sizeMicroUsd = parseUnits(size, MICRO_USD_DECIMALS);
  if (sizeMicroUsd !== null && sizeMicroUsd > 0n) return () => ({ sizeMicroUsd });
  throw invalidSize("size must be an amount of USD above 0, with at most 6 decimals.");
}

/** @throws AppError invalid_size */
function saleOfSol(size: string): SizedSaleOf {
  const sizeLamports = parseSizeLamports(size);
  if (sizeLamports !== null) return () => ({ sizeLamports });
  throw invalidSize(`size must be ${SIZE_RANGE_TEXT}, in plain digits, with at most 9 decimals.`);
}

/** @throws AppError invalid_size; the returned function too, if the amount is finer than the decimals */
function saleOfTokens(size: string): SizedSaleOf {
  if (!/^\d{1,20}(?:\.\d{1,18})?$/.test(size) || !/[1-9]/.test(size))
    throw invalidSize("size must be a number of whole tokens above 0, in plain digits.");
  return (decimals) => {
    if (decimals === null) return null;
    const baseUnits = parseUnits(size, decimals);
    if (baseUnits !== null) return { baseUnits };
    throw invalidSize(
      `size is finer than this token's smallest unit: it has ${decimals} decimals.`,
    );
  };
}

function invalidSize(publicMessage: string): AppError {
  return new AppError("invalid_size", { publicMessage });
}

type ExitAtAnswer = {
  readonly assessment: Assessment;
  readonly profile: Profile;
  readonly exit: AskedExit;
  readonly nowMs: number;
};

/** GET /api/token/{id}/exitability/at: any size, exact, not snapped, with the way it goes. */
function exitAtBody({ assessment, profile, exit, nowMs }: ExitAtAnswer) {
  const base = {
    ...measuredFields({ measured: assessment, profile, nowMs }),
    capacity_sol: assessment.measurement?.c10Sol ?? null,
  };
  if (exit.kind === "unsellable") {
    return {
      ...base,
      state: UNKNOWN_REASONS.has(exit.reason) ? STATE_WORD.blocked : "no_exit",
      reason: exit.reason,
      size_sol: null,
      tokens_sold: null,
      net_sol: null,
      net_lamports: null,
      slippage_pct: null,
      price_impact_pct: null,
      average_price: null,
      routes: [],
    };
  }
  const { decimals } = assessment;
  return {
    ...base,
    state: "ok",
    reason: null,
    size_sol: lamportsToSol(exit.sizeLamports),
    tokens_sold:
      decimals === null ? null : ratioToNumber(exit.baseUnitsSold, 10n ** BigInt(decimals)),
    net_sol: lamportsToSol(exit.paidLamports),
    net_lamports: String(exit.paidLamports),
    slippage_pct: exit.slippagePct,
    price_impact_pct: exit.priceImpactPct,
    average_price: priceInSol(exit.averagePrice, decimals),
    routes: exit.routes.map((route) => routeBody(route, exit.baseUnitsSold)),
  };
}

function routeBody(route: ExitRoute, soldWhole: bigint) {
  return {
    share_pct: percentOf(route.amountIn, soldWhole),
    net_sol: lamportsToSol(route.paidLamports),
    legs: route.legs.map((leg) => ({
      program: leg.venue,
      pool: leg.pool,
      input_mint: leg.inputMint,
      output_mint: leg.outputMint,
      amount_in: String(leg.amountIn),
      amount_out: String(leg.amountOut),
      instruction: leg.instruction,
    })),
  };
}
