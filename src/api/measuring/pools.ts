import Type from "typebox";
import type { Assessment, PoolShare } from "#src/measure/assessment.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { lamportsToSol, percentOf, priceInSol, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, nullable, Timestamp, timestamp } from "../values.ts";
import { AMM_OF_FAMILY, STATE_WORD } from "../words.ts";
import { answerNow, PRESENT_OPERATION } from "./token-question.ts";

const PoolsBody = Type.Object(
  {
    token_id: AddressText,
    slot: Type.Integer(),
    updated_at: Timestamp,
    state: Type.Enum(["ok", STATE_WORD.blocked], { description: "As in exitability" }),
    pools: nullable(
      Type.Array(
        Type.Object({
          program: Type.String({ description: "The program, as in /api/status" }),
          amm: Type.Enum(Object.values(AMM_OF_FAMILY), {
            description: "The program's family, as in exitability",
          }),
          address: AddressText,
          quote_mint: AddressText,
          status: Type.String({
            description: "open, paused, not-open-yet, complete or migrated",
          }),
          depth_sol: Type.Number({ description: "SOL that selling can still take out of it" }),
          share_pct: nullable(Type.Number(), "Of the depth of all pools together, percent"),
          spot_price: nullable(Type.Number(), "SOL per whole token, before fees"),
          fee_pct: Type.Number({
            description:
              "Fees of a small sale in this pool now: all fees of the pool, and the token's transfer fee",
          }),
        }),
      ),
      "Null where state is bloqueado_dato: what the pools hold is not known; empty: there are none",
    ),
  },
  { $id: "Pools" },
);

const POOLS_EXAMPLE = {
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
};

export const getPools = defineOperation({
  ...PRESENT_OPERATION,
  path: "/api/token/{id}/pools",
  id: "getPools",
  tag: "token",
  summary: "The pools that a token can be sold in",
  description: "As they are now. at_slot is refused: past pools are not stored.",
  responses: {
    200: {
      description: "Each pool with its share of the depth, its fee and its spot price",
      schema: PoolsBody,
      example: POOLS_EXAMPLE,
    },
  },
  handler: ({ params: { id } }, { markets }) =>
    answerNow(markets, { id, profile: "retail" }, ({ assessment }) => ({
      body: poolsBody(assessment),
    })),
});

/**
 * GET /api/token/{id}/pools: each pool with its share of the depth; null where the token is blocked:
 * then it is not known what they hold, and no pools at all would be another answer.
 */
function poolsBody(assessment: Assessment) {
  const pools = assessment.measurement?.pools ?? null;
  const total = (pools ?? []).reduce((sum, { depthLamports }) => sum + depthLamports, 0n);
  return {
    token_id: assessment.mint,
    slot: toNumber(assessment.slot),
    updated_at: timestamp(assessment.stateTimeMs),
    state: pools === null ? STATE_WORD.blocked : "ok",
    pools: pools?.map((pool) => poolBody(pool, total, assessment.decimals)) ?? null,
  };
}

function poolBody(pool: PoolShare, totalLamports: bigint, decimals: number | null) {
  return {
    program: pool.venue,
    amm: AMM_OF_FAMILY[pool.family],
    address: pool.address,
    quote_mint: pool.quoteMint,
    status: pool.status,
    depth_sol: lamportsToSol(pool.depthLamports),
    share_pct: totalLamports === 0n ? null : percentOf(pool.depthLamports, totalLamports),
    spot_price: pool.spotPrice === null ? null : priceInSol(pool.spotPrice, decimals),
    fee_pct: pool.feePpm / 10_000,
  };
}
