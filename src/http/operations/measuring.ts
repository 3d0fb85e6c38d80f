import Type from "typebox";
import { ExitabilityBody } from "#src/wire/exitability.ts";
import { StateNotStoredBody, TokenNotFoundBody } from "#src/wire/schema/error.ts";
import { StressedExitBody } from "#src/wire/schema/stressed.ts";
import { ExitAtBody, HistoryBody, PoolsBody, TokenBody } from "#src/wire/schema/token-data.ts";
import {
  EXIT_AT_EXAMPLE,
  EXITABILITY_EXAMPLE,
  HISTORY_EXAMPLE,
  POOLS_EXAMPLE,
  STRESSED_EXAMPLE,
  TOKEN_EXAMPLE,
} from "./measuring-examples.ts";
import {
  LANGUAGE_PARAMETER,
  MINT_PARAMETER,
  type Operation,
  type Parameter,
  PROFILE_PARAMETER,
  SIZE_PARAMETER,
  TOKEN_ERRORS,
} from "./operation.ts";

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
        example: TOKEN_EXAMPLE,
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
        example: POOLS_EXAMPLE,
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
        example: HISTORY_EXAMPLE,
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
