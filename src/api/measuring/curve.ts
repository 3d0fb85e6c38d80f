import Type, { type Static } from "typebox";
import type { Assessment } from "#src/measure/assessment.ts";
import { CURVE_SIZES_LAMPORTS, type ExitCurve } from "#src/measure/questions/exit-curve.ts";
import { lamportsToSol, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT, EXAMPLE_TIME } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, NullableNumber, Timestamp, timestamp } from "../values.ts";
import { STATE_WORD } from "../words.ts";
import { answerNow, PRESENT_OPERATION } from "./token-question.ts";

const CurveBody = Type.Object(
  {
    token_id: AddressText,
    slot: Type.Integer(),
    updated_at: Timestamp,
    state: Type.Enum(["ok", STATE_WORD.blocked], {
      description: "What null means in points. bloqueado_dato: unknown now, at every size",
    }),
    points: Type.Array(
      Type.Object({
        size_sol: Type.Number({ description: "Worth at the mid price" }),
        retail_pct: NullableNumber,
        pro_pct: NullableNumber,
      }),
      {
        description:
          "Ascending. Null where state is ok: this size can't be sold whole, or is above 10 SOL where amm is otro",
      },
    ),
  },
  { $id: "Curve" },
);

export const getCurve = defineOperation({
  ...PRESENT_OPERATION,
  path: "/api/token/{id}/exitability/curve",
  id: "getCurve",
  tag: "exitability",
  summary: "Slippage at twenty sizes from 0.1 to 200 SOL, by one route and split",
  description:
    "Each size is measured, not interpolated, and all on the market of `slot`. at_slot is refused.",
  responses: {
    200: {
      description: "Both profiles at every size",
      schema: CurveBody,
      example: {
        token_id: EXAMPLE_MINT,
        slot: 420000000,
        updated_at: EXAMPLE_TIME,
        state: "ok",
        points: [{ size_sol: 5, retail_pct: 1.4946, pro_pct: 0.7953 }],
      },
    },
  },
  handler: ({ params: { id } }, { markets }) =>
    answerNow(markets, { id, profile: "retail" }, async ({ assessment }, mint) => {
      return { body: curveBody(assessment, await markets.curve(mint)) };
    }),
});

/** @param curve null: no market of the token is held, so nothing is known */
function curveBody(assessment: Assessment, curve: ExitCurve | null): Static<typeof CurveBody> {
  const { slot, stateTimeMs } = curve ?? assessment;
  return {
    token_id: assessment.mint,
    slot: toNumber(slot),
    updated_at: timestamp(stateTimeMs),
    state: curve === null || curve.isBlocked ? STATE_WORD.blocked : "ok",
    points: CURVE_SIZES_LAMPORTS.map((sizeLamports, index) => ({
      size_sol: lamportsToSol(sizeLamports),
      retail_pct: curve?.slippagesPct.retail[index] ?? null,
      pro_pct: curve?.slippagesPct.pro[index] ?? null,
    })),
  };
}
