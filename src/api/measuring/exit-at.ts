import Type from "typebox";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import type { ExitAt } from "#src/measure/exit-at.ts";
import type { ExitRoute } from "#src/measure/exit-route.ts";
import { parseSizeLamports, parseUnits, SIZE_RANGE_TEXT } from "#src/measure/requested-size.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { ExitQuery } from "#src/track/markets.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { lamportsToSol, priceInSol, ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import {
  AddressText,
  IntegerText,
  NullableNumber,
  nullable,
  ProfileWord,
  readAs,
  Timestamp,
  timestamp,
} from "../values.ts";
import { STATE_WORD } from "../words.ts";
import {
  answerAboutToken,
  currentSnapshot,
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

const BLOCKED = { kind: "unsellable", reason: "blocked" } as const;

const Leg = Type.Object({
  program: Type.String(),
  pool: AddressText,
  input_mint: AddressText,
  output_mint: AddressText,
  amount_in: IntegerText,
  amount_out: IntegerText,
});

/** A sale of any size. Where it can't be made whole, `reason` says why and every figure is null. */
const ExitAtBody = Type.Object(
  {
    token_id: AddressText,
    profile: ProfileWord,
    slot: Type.Integer(),
    updated_at: Timestamp,
    age_seconds: Type.Number({ minimum: 0 }),
    state: Type.Enum(["ok", STATE_WORD.blocked, "no_exit"], {
      description: "no_exit: it can't be sold whole, for sure; bloqueado_dato: unknown now",
    }),
    reason: nullable(
      Type.Enum([...UNSELLABLE_REASONS]),
      "Why it can't be sold whole; null where it can. blocked: as in exitability; no-market: no pool buys a first unit; exceeds-supply: more than there is of the token; size-not-allowed: above 10 SOL where amm is otro; too-small: worth less than a base unit or a lamport; insufficient-liquidity: the pools run out",
    ),
    size_sol: nullable(Type.Number(), "Worth at the mid price"),
    tokens_sold: nullable(Type.Number(), "Whole tokens"),
    net_sol: nullable(Type.Number(), "What arrives, after every fee but the network's"),
    net_lamports: nullable(IntegerText, "The same, exact"),
    slippage_pct: NullableNumber,
    price_impact_pct: nullable(Type.Number(), "What of the slippage is not fees"),
    average_price: nullable(Type.Number(), "SOL per whole token"),
    routes: Type.Array(
      Type.Object({
        share_pct: Type.Number(),
        net_sol: Type.Number(),
        legs: Type.Array(Leg, { minItems: 1 }),
      }),
    ),
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
        },
      ],
    },
  ],
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
  unit: Type.Enum(["sol", "token"], { default: "sol", description: "What size counts" }),
};

export const getExitAt = defineOperation({
  ...TOKEN_OPERATION,
  path: "/api/token/{id}/exitability/at",
  id: "getExitAt",
  tag: "exitability",
  summary: "One sale of any size, exact, with its route",
  description:
    "Not snapped to a standard size: what arrives to the lamport, the average price, the price impact apart from fees, and every leg of the way. at_slot is refused: past pools are not stored.",
  query: Type.Object({
    profile: PROFILE_FIELD,
    at_slot: NO_SLOT_FIELD,
    ...EXIT_SIZE_FIELDS,
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
  prepare: ({ query }) => saleOfSize(query),
  handler: ({ params: { id }, query: { profile }, question: saleOf }, { markets, clock }) =>
    answerAboutToken({
      id,
      profile,
      snapshotOf: currentSnapshot(markets),
      async answer({ assessment }, mint) {
        const sale = saleOf(assessment.decimals);
        const exit = sale === null ? null : await markets.exit(mint, sale);
        return {
          body: exitAtBody({ assessment, profile, exit: exit ?? BLOCKED, nowMs: clock.nowMs() }),
        };
      },
    }),
});

/** The sale, by the token's decimals; null while they are unknown and the size needs them. */
type SaleOf = (decimals: number | null) => ExitQuery | null;

/** @throws AppError invalid_size */
export function saleOfSize(query: {
  readonly size: string;
  readonly unit: "sol" | "token";
  readonly profile: Profile;
}): SaleOf {
  const { size, unit, profile } = query;
  return unit === "sol" ? saleOfSol(size, profile) : saleOfTokens(size, profile);
}

/** @throws AppError invalid_size */
function saleOfSol(size: string, profile: Profile): SaleOf {
  const sizeLamports = parseSizeLamports(size);
  if (sizeLamports !== null) return () => ({ profile, sizeLamports });
  throw invalidSize(`size must be ${SIZE_RANGE_TEXT}, in plain digits, with at most 9 decimals.`);
}

/** @throws AppError invalid_size; the returned function too, if the amount is finer than the decimals */
function saleOfTokens(size: string, profile: Profile): SaleOf {
  if (!/^\d{1,20}(?:\.\d{1,18})?$/.test(size) || !/[1-9]/.test(size))
    throw invalidSize("size must be a number of whole tokens above 0, in plain digits.");
  return (decimals) => {
    if (decimals === null) return null;
    const baseUnits = parseUnits(size, decimals);
    if (baseUnits !== null) return { profile, baseUnits };
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
  readonly exit: ExitAt;
  readonly nowMs: number;
};

/** GET /api/token/{id}/exitability/at: any size, exact, not snapped, with the way it goes. */
function exitAtBody({ assessment, profile, exit, nowMs }: ExitAtAnswer) {
  const base = {
    token_id: assessment.mint,
    profile,
    slot: toNumber(assessment.slot),
    updated_at: timestamp(assessment.stateTimeMs),
    age_seconds: Math.max(0, (nowMs - assessment.stateTimeMs) / 1_000),
  };
  if (exit.kind === "unsellable") {
    return {
      ...base,
      state: exit.reason === "blocked" ? STATE_WORD.blocked : "no_exit",
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
    share_pct: 100 * ratioToNumber(route.amountIn, soldWhole),
    net_sol: lamportsToSol(route.paidLamports),
    legs: route.legs.map((leg) => ({
      program: leg.venue,
      pool: leg.pool,
      input_mint: leg.inputMint,
      output_mint: leg.outputMint,
      amount_in: String(leg.amountIn),
      amount_out: String(leg.amountOut),
    })),
  };
}
