import Type from "typebox";
import { ExitabilityBody } from "#src/wire/exitability.ts";
import { StateNotStoredBody, TokenNotFoundBody } from "#src/wire/schema/error.ts";
import { StressedExitBody } from "#src/wire/schema/stressed.ts";
import { ExitAtBody, HistoryBody, PoolsBody, TokenBody } from "#src/wire/schema/token-data.ts";
import {
  EXAMPLE_MINT,
  LANGUAGE_PARAMETER,
  MINT_PARAMETER,
  type Operation,
  type Parameter,
  PROFILE_PARAMETER,
  SIZE_PARAMETER,
  TOKEN_ERRORS,
} from "./operation.ts";

const NOBODY = { status: "none", address: null };
const SOMEBODY = "8h4fQdVJPmFkMJ7FzkyCY5EqCn3VdrLQKVuAtuuRNdsZ";
const WSOL = "So11111111111111111111111111111111111111112";

export const EXITABILITY_EXAMPLE = {
  state: "ok",
  token_id: EXAMPLE_MINT,
  fase: "listed",
  amm: "raydium",
  calidad_dato: "suficiente",
  confianza: "media",
  aviso: "There are less than 5 minutes of history: trend and alert are not known yet.",
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

const STRESSED_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "pro",
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  age_seconds: 0.4,
  state: "partial",
  now: {
    depth_sol: 329.805028393,
    precio_mid: 0.000005,
    score: 94.1,
    exit_max_sol: 50,
    slippage: {
      "0.5": 0.3365,
      "1": 0.4167,
      "2": 0.4735,
      "5": 0.7953,
      "10": 1.3797,
      "50": 5.8732,
    },
  },
  stressed: {
    depth_sol: 203.805028398,
    precio_mid: 0.000005,
    score: 92.6,
    exit_max_sol: 50,
    slippage: {
      "0.5": 0.3608,
      "1": 0.4415,
      "2": 0.4865,
      "5": 0.8982,
      "10": 1.561,
      "50": 6.8829,
    },
  },
  withdrawal: {
    owner: "4qx8LEUTvjiBJixUH5MqymMLyBXE4JJopDUVbUPUMM3R",
    owner_kind: "wallet",
    depth_sol: 125.999999995,
    share_pct: 38.20439021471096,
  },
  pools: [
    {
      program: "raydium-cpmm",
      address: "rXXMNzXgqnWvURGMEBndENBnS2br4i65JEcEyUtuDG6",
      depth_sol: 180,
      who: "known",
      reason: null,
      leaving_sol: 125.999999995,
      largest_pct: 69.99999999726192,
      burned_pct: 30.000000002738076,
      locked_pct: 0,
      unlisted_pct: 0,
      holders_slot: 419999950,
    },
    {
      program: "meteora-dlmm",
      address: "76EUJpnGT21AGemaiAiQaFryGF3rbgTo38AENwRxKn9r",
      depth_sol: 90,
      who: "unknown",
      reason: "positions-not-read",
      leaving_sol: null,
      largest_pct: null,
      burned_pct: null,
      locked_pct: null,
      unlisted_pct: null,
      holders_slot: null,
    },
    {
      program: "raydium-clmm",
      address: "7TCBSPeUZkaPJ1ojcvDHCkawFQBVFnnGVkyw6JdCtRiN",
      depth_sol: 59.805028393,
      who: "unknown",
      reason: "positions-not-read",
      leaving_sol: null,
      largest_pct: null,
      burned_pct: null,
      locked_pct: null,
      unlisted_pct: null,
      holders_slot: null,
    },
  ],
};

const AT_SLOT_PARAMETER: Parameter = {
  in: "query",
  name: "at_slot",
  description:
    "A past slot: what was answered on the state at it, or on the newest stored one up to 825 slots before it. X-State-Slot says which one that is, updated_at its time; aviso, trend and alert are as they were then. The same bytes for whoever asks, whenever, for three days (or as the operator sets it). Answers are stored while a token is asked for or watched: the first within some seconds, then one whenever something moves, a minute apart at the least, or five minutes where nothing does. A slot after the newest stored one is 404 state_not_stored until a later one is: what is answered is final. slot_before and slot_after name slots that there are. Counts like any other query.",
  schema: Type.Integer({ minimum: 0, maximum: 999_999_999_999_999 }),
};

const metered = {
  method: "get",
  access: "caller",
  isOpenToPages: true,
  isMetered: true,
  isConditional: true,
} as const;

/** What is asked about one token. Each counts as one query. */
export const MEASURING: readonly Operation[] = [
  {
    ...metered,
    path: "/api/token/{id}/exitability",
    id: "getExitability",
    tag: "exitability",
    summary: "Can a position be sold now, and at what slippage?",
    description:
      "Six standard sizes at once, one of two profiles. It measures only: it never trades, builds a transaction, recommends or predicts. Null is unknown or impossible, never zero; state says which.",
    parameters: [
      MINT_PARAMETER,
      PROFILE_PARAMETER,
      SIZE_PARAMETER,
      AT_SLOT_PARAMETER,
      LANGUAGE_PARAMETER,
    ],
    successes: {
      200: {
        description: "The measurement, or why there is none",
        schema: ExitabilityBody,
        example: EXITABILITY_EXAMPLE,
        headers: ["X-State-Slot"],
      },
    },
    errors: [
      ...TOKEN_ERRORS.errors,
      "state_not_stored",
      "invalid_profile",
      "invalid_size",
      "invalid_body",
    ],
    errorSchemas: {
      ...TOKEN_ERRORS.errorSchemas,
      404: Type.Union([TokenNotFoundBody, StateNotStoredBody]),
    },
  },
  {
    ...metered,
    path: "/api/token/{id}/exitability/at",
    id: "getExitAt",
    tag: "exitability",
    summary: "One sale of any size, exact, with its route",
    description:
      "Not snapped to a standard size: what arrives to the lamport, the average price, the price impact apart from fees, and every leg of the way. at_slot is refused: of past slots no pools are stored.",
    parameters: [
      MINT_PARAMETER,
      {
        in: "query",
        name: "size",
        description:
          "0.01 to 1000 SOL, to the lamport; or whole tokens with unit=token, above 0 and no finer than the token's decimals. Plain digits.",
        schema: Type.String({ pattern: "^[0-9]{1,20}([.][0-9]{1,18})?$" }),
        isRequired: true,
        example: "2.5",
      },
      {
        in: "query",
        name: "unit",
        description: "What size counts",
        schema: Type.Enum(["sol", "token"], { default: "sol" }),
      },
      PROFILE_PARAMETER,
    ],
    successes: {
      200: {
        description: "The sale; or, where it can't be made whole, the reason and nulls",
        schema: ExitAtBody,
        example: EXIT_AT_EXAMPLE,
      },
    },
    ...TOKEN_ERRORS,
    errors: [...TOKEN_ERRORS.errors, "invalid_profile", "invalid_size", "invalid_body"],
  },
  {
    ...metered,
    path: "/api/token/{id}",
    id: "getToken",
    tag: "token",
    summary: "A token's name, supply, and what its mint lets somebody do to holders",
    description:
      "Read from the mint account itself, Token-2022 extensions included. Each power says none, set or unknown; null is never none. It lists facts and judges none of them. at_slot is refused: of past slots no mint is stored.",
    parameters: [MINT_PARAMETER],
    successes: {
      200: {
        description: "What is known of it; null where it is not",
        schema: TokenBody,
        example: {
          token_id: EXAMPLE_MINT,
          name: "Three Pools",
          symbol: "THREE",
          decimals: 6,
          supply_units: "1000000000000000",
          supply_tokens: 1000000000,
          mint_authority: NOBODY,
          freeze_authority: { status: "set", address: SOMEBODY },
          permanent_delegate: NOBODY,
          transfer_hook: { ...NOBODY, authority: NOBODY },
          transfer_fee: {
            status: "set",
            fee_pct: 1,
            max_fee_units: "5000000000",
            authority: { status: "set", address: SOMEBODY },
            announced: { status: "none", from_epoch: null, fee_pct: null, max_fee_units: null },
          },
          pausable: { status: "none", is_paused: false, authority: NOBODY },
          accounts_start_frozen: false,
          is_transferable: true,
          slot: 420000000,
          updated_at: "2026-11-21T01:10:10.000Z",
        },
      },
    },
    ...TOKEN_ERRORS,
    errors: [...TOKEN_ERRORS.errors, "invalid_body"],
  },
  {
    ...metered,
    path: "/api/token/{id}/exitability/stressed",
    id: "getStressedExit",
    tag: "exitability",
    summary: "The exits that are left after the largest withdrawal",
    description:
      "The ladder now, beside the ladder after the one owner whose liquidity shares are worth most has taken all of it out, in every pool where it is known who can. It says what would be left, not that anybody will leave. Where it is not known, the pool and the reason are named: unknown is never safe. Burned shares and those in lockers that never give them back stay. Who holds the shares is read for it, at most once a minute and pool, of the token's eight deepest such pools; `holders_slot` says when. It counts as one query like every other question about a token. at_slot is refused: of past slots no pools are stored.",
    parameters: [MINT_PARAMETER, PROFILE_PARAMETER],
    successes: {
      200: {
        description: "Both ladders, who would leave, and what is known of each pool",
        schema: StressedExitBody,
        example: STRESSED_EXAMPLE,
      },
    },
    ...TOKEN_ERRORS,
    errors: [...TOKEN_ERRORS.errors, "invalid_profile", "invalid_body"],
  },
  {
    ...metered,
    path: "/api/token/{id}/pools",
    id: "getPools",
    tag: "token",
    summary: "The pools that a token can be sold in",
    description: "As they are now. at_slot is refused: of past slots no pools are stored.",
    parameters: [MINT_PARAMETER],
    successes: {
      200: {
        description: "Each pool with its share of the depth, its fee and its spot price",
        schema: PoolsBody,
        example: {
          token_id: EXAMPLE_MINT,
          slot: 420000000,
          updated_at: "2026-11-21T01:10:10.000Z",
          state: "ok",
          pools: [
            {
              program: "raydium-cpmm",
              amm: "raydium",
              address: "7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5",
              quote_mint: WSOL,
              status: "open",
              depth_sol: 150.2,
              share_pct: 45.54,
              spot_price: 0.000005,
              fee_pct: 0.25,
            },
          ],
        },
      },
    },
    ...TOKEN_ERRORS,
    errors: [...TOKEN_ERRORS.errors, "invalid_body"],
  },
  {
    ...metered,
    path: "/api/token/{id}/history",
    id: "getHistory",
    tag: "token",
    summary: "A token's exit capacity, depth, score and slippage over time, and its alerts",
    description:
      "An even grid of the retail profile; null where nothing was known. from lies before to; at most 31 days and 2,000 points: longer ranges get longer steps, and step_seconds says which. The alerts are those that began within it, the last 2,000 of them. Each request counts as one query.",
    parameters: [
      MINT_PARAMETER,
      historyTime("from", "Default: a day before to"),
      historyTime("to", "Default: now"),
      {
        in: "query",
        name: "step",
        description: "Seconds between points, 10 or more",
        schema: Type.Integer({ minimum: 10, maximum: 999999, default: 60 }),
      },
    ],
    successes: {
      200: {
        description: "The grid, and the alerts that began within it",
        schema: HistoryBody,
        example: {
          token_id: EXAMPLE_MINT,
          step_seconds: 60,
          points: [
            {
              t: "2026-11-21T01:10:00.000Z",
              c10_sol: 35.1,
              depth_sol: 329.8,
              score: 99.4,
              slippage: { "0.5": 0.38, "1": 0.5, "2": 0.75, "5": 1.49, "10": 2.71, "50": 13.95 },
              confianza: "alta",
            },
          ],
          alerts: [],
        },
      },
    },
    ...TOKEN_ERRORS,
    errors: [...TOKEN_ERRORS.errors, "invalid_body"],
  },
];

function historyTime(name: string, description: string) {
  return {
    in: "query",
    name,
    description: `ISO 8601. ${description}`,
    schema: Type.String({ format: "date-time" }),
  } as const;
}
