import Type from "typebox";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import { mapSome } from "#src/platform/map-some.ts";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { lamportsToSol, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT, EXAMPLE_TIME } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, NullableNumber, Timestamp, timestamp } from "../values.ts";
import {
  answerAboutToken,
  assessmentOfSale,
  currentSnapshot,
  NO_SLOT_FIELD,
  TOKEN_ERRORS,
  TOKEN_OPERATION,
} from "./token-question.ts";

/** Tenths of SOL: about six to a factor of ten, so that a line between two of them is not a guess. */
const SIZES_TENTHS = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000,
] as const;
const LAMPORTS_PER_TENTH = 100_000_000n;
const AT_ONCE = 4;
/** A token that trades in each slot would be measured for ever. */
const MOST_ATTEMPTS = 3;

const CurveBody = Type.Object(
  {
    token_id: AddressText,
    slot: Type.Integer(),
    updated_at: Timestamp,
    points: Type.Array(
      Type.Object({
        size_sol: Type.Number({ description: "Worth at the mid price" }),
        retail_pct: NullableNumber,
        pro_pct: NullableNumber,
      }),
      { description: "Ascending; null where a size can't be sold whole, or is not known" },
    ),
  },
  { $id: "Curve" },
);

export const getCurve = defineOperation({
  ...TOKEN_OPERATION,
  path: "/api/token/{id}/exitability/curve",
  id: "getCurve",
  tag: "exitability",
  summary: "Slippage at twenty sizes from 0.1 to 200 SOL, by one route and split",
  description: "Each size is measured, not interpolated. at_slot is refused.",
  query: Type.Object({ at_slot: NO_SLOT_FIELD }),
  responses: {
    200: {
      description: "Both profiles at every size",
      schema: CurveBody,
      example: {
        token_id: EXAMPLE_MINT,
        slot: 420000000,
        updated_at: EXAMPLE_TIME,
        points: [{ size_sol: 5, retail_pct: 1.4946, pro_pct: 0.7953 }],
      },
    },
  },
  ...TOKEN_ERRORS,
  errors: [...TOKEN_ERRORS.errors, "invalid_body"],
  handler: ({ params: { id } }, { markets }) =>
    answerAboutToken({
      id,
      profile: "retail",
      snapshotOf: currentSnapshot(markets),
      async answer({ assessment: before }, mint) {
        const { assessment, points } = await curveOf(markets, before);
        return {
          body: {
            token_id: mint,
            slot: toNumber(assessment.slot),
            updated_at: timestamp(assessment.stateTimeMs),
            points,
          },
        };
      },
    }),
});

/**
 * The points, and the assessment of their market. A tracker in another thread or process may have a newer market
 * meanwhile: then they are measured again, twice at most.
 */
async function curveOf(markets: Pick<Markets, "exit" | "latest">, before: Assessment) {
  let assessment = before;
  for (let attempt = 1; ; attempt++) {
    const { mint, measurement } = assessment;
    const points = await mapSome(SIZES_TENTHS, AT_ONCE, (tenths) =>
      pointAt(markets, mint, BigInt(tenths) * LAMPORTS_PER_TENTH),
    );
    assessment = assessmentOfSale(markets, assessment);
    if (assessment.measurement === measurement || attempt === MOST_ATTEMPTS)
      return { assessment, points };
  }
}

async function pointAt(markets: Pick<Markets, "exit">, mint: Address, sizeLamports: bigint) {
  const slippageOf = async (profile: Profile): Promise<number | null> => {
    const exit = await markets.exit(mint, { profile, sizeLamports });
    return exit === null || exit.kind === "unsellable" ? null : exit.slippagePct;
  };
  return {
    size_sol: lamportsToSol(sizeLamports),
    retail_pct: await slippageOf("retail"),
    pro_pct: await slippageOf("pro"),
  };
}
