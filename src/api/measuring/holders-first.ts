import Type, { type Static } from "typebox";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import type { HoldersFirst } from "#src/measure/questions/holders-first.ts";
import { lamportsToSol, percentOf, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, IntegerText, nullable, nullablePercent } from "../values.ts";
import { STATE_WORD } from "../words.ts";
import {
  ladderFields,
  ladderSchema,
  MEASURED_SCHEMA,
  measuredFields,
  midField,
} from "./ladder-fields.ts";
import { answerNow, PRESENT_PROFILE_OPERATION } from "./token-question.ts";

const LADDER = ladderSchema("what positions worth these sizes now lose against that");

/** The exits after the largest holders have sold. */
const HoldersFirstBody = Type.Object(
  {
    ...MEASURED_SCHEMA,
    state: Type.Enum(["ok", "unknown", STATE_WORD.blocked], {
      description: "unknown: the holders are not known; there are no `steps`",
    }),
    reason: nullable(
      Type.Enum(["holders-not-read", "holders-do-not-add-up", "no-market"]),
      "Why there are no `steps`; holders-not-read: the node refuses or fails; holders-do-not-add-up: its list contradicts the mint; no-market: nothing can be sold now. Null where there are, and where the token is blocked",
    ),
    now: nullable(
      Type.Object({ precio_mid: nullable(Type.Number()), ...LADDER }),
      "Null where the token is blocked",
    ),
    steps: nullable(
      Type.Array(
        Type.Object({
          holders: Type.Integer({
            description: "Number of the largest holders that have sold before",
          }),
          sold_by: Type.Integer({
            description:
              "Number of them that are listed; if it is lower, unlisted_pct bounds the others",
          }),
          sold_units: IntegerText,
          sold_pct: nullablePercent("Of the supply"),
          unsold_pct: nullablePercent(
            "Of the supply: what these holders have and the pools did not take",
          ),
          paid_sol: Type.Number({ description: "What these holders got" }),
          ...LADDER,
        }),
      ),
      "After the largest 1, 3, 5, 10 and 20 holders have sold all, one after the other",
    ),
    excluded: nullable(
      Type.Array(
        Type.Object({
          owner: AddressText,
          supply_pct: nullablePercent("Of the supply"),
          reason: Type.Enum(["pool", "curve", "burned", "locker", "program", "frozen"]),
        }),
      ),
      "Large holders that are not counted as sellers. locker: a locker that does not return the tokens, or not yet. program: a program signs for the address; what it allows is not known",
    ),
    unlisted_pct: nullablePercent(
      "Of the supply, in accounts beyond the twenty largest: each smaller than any of these",
    ),
    holders_slot: nullable(Type.Integer(), "The slot at which the holders were read"),
  },
  { $id: "HoldersFirst" },
);

type HoldersFirstAnswer = Static<typeof HoldersFirstBody>;

const EXAMPLE_LADDER = {
  "0.5": 0.8365,
  "1": 1.4167,
  "2": 2.5735,
  "5": 5.6953,
  "10": 10.6797,
  "50": 37.1732,
};

const HOLDERS_FIRST_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "retail",
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  age_seconds: 0.4,
  state: "ok",
  reason: null,
  now: { precio_mid: 0.000005, score: 82.1, exit_max_sol: 5, slippage: EXAMPLE_LADDER },
  steps: [
    {
      holders: 1,
      sold_by: 1,
      sold_units: "30000000000000",
      sold_pct: 3,
      unsold_pct: 0,
      paid_sol: 11.2,
      score: 42.4,
      exit_max_sol: 0,
      slippage: { ...EXAMPLE_LADDER, "0.5": 24.1, "1": 24.6, "2": 25.5, "5": 28.2 },
    },
  ],
  excluded: [
    { owner: "4qx8LEUTvjiBJixUH5MqymMLyBXE4JJopDUVbUPUMM3R", supply_pct: 20.7, reason: "pool" },
  ],
  unlisted_pct: 41.3,
  holders_slot: 419999950,
};

export const getHoldersFirst = defineOperation({
  ...PRESENT_PROFILE_OPERATION,
  path: "/api/token/{id}/exitability/holders-first",
  id: "getHoldersFirst",
  tag: "exitability",
  summary: "The exits that are left after the largest holders have sold",
  description:
    "The six sizes now, and after the largest 1, 3, 5, 10 and 20 holders have sold all they have, one after the other. The positions are those worth the sizes now. Pools, curves, burned tokens, lockers, addresses of programs and frozen accounts are not counted as sellers; each is listed with its reason. It measures what would be left; it does not predict that anybody will sell. Holders are read on request, at most once a minute and token, with three calls; `unlisted_pct` bounds what the node's list of twenty leaves out. One query. at_slot is refused: past holders are not stored.",
  responses: {
    200: {
      description: "The ladder now and after each step, and who is not counted",
      schema: HoldersFirstBody,
      example: HOLDERS_FIRST_EXAMPLE,
    },
  },
  handler: ({ params: { id }, query: { profile } }, { markets, clock }) =>
    answerNow(markets, { id, profile }, async ({ assessment }, mint) => {
      const first = await markets.holdersFirst(mint);
      return { body: bodyOf({ assessment, first, profile, nowMs: clock.nowMs() }) };
    }),
});

type BodyInput = {
  /** The newest assessment, used while no market is held. */
  readonly assessment: Assessment;
  readonly first: HoldersFirst | null;
  readonly profile: Profile;
  readonly nowMs: number;
};

function bodyOf({ assessment, first, profile, nowMs }: BodyInput): HoldersFirstAnswer {
  const measured = first?.now ?? assessment;
  const { measurement } = measured;
  const isBlocked = first === null || measurement === null;
  return {
    ...measuredFields({ measured, profile, nowMs }),
    state: isBlocked ? STATE_WORD.blocked : first.steps === null ? "unknown" : "ok",
    reason: isBlocked ? null : reasonOf(first),
    now: isBlocked
      ? null
      : { precio_mid: midField(measured), ...ladderFields(measurement[profile]) },
    steps: isBlocked ? null : stepsOf(first, profile),
    ...holdersOf(first),
  };
}

function reasonOf({ holders, steps }: HoldersFirst): HoldersFirstAnswer["reason"] {
  if (steps !== null) return null;
  return holders.kind === "unknown" ? holders.reason : "no-market";
}

function stepsOf({ steps, holders }: HoldersFirst, profile: Profile): HoldersFirstAnswer["steps"] {
  if (steps === null || holders.kind !== "known") return null;
  return steps.map((step) => ({
    holders: step.holders,
    sold_by: step.soldBy,
    sold_units: String(step.soldBaseUnits),
    sold_pct: pctOf(step.soldBaseUnits, holders.supply),
    unsold_pct: pctOf(step.unsoldBaseUnits, holders.supply),
    paid_sol: lamportsToSol(step.paidLamports),
    ...ladderFields(step.ladder[profile]),
  }));
}

function holdersOf(first: HoldersFirst | null) {
  if (first === null || first.holders.kind !== "known") {
    return { excluded: null, unlisted_pct: null, holders_slot: null };
  }
  const { supply, excluded, unlisted, slot } = first.holders;
  return {
    excluded: excluded.map(({ owner, baseUnits, reason }) => ({
      owner,
      supply_pct: pctOf(baseUnits, supply),
      reason,
    })),
    unlisted_pct: pctOf(unlisted, supply),
    holders_slot: toNumber(slot),
  };
}

/** Null of a supply of nothing. */
function pctOf(baseUnits: bigint, supply: bigint): number | null {
  return supply === 0n ? null : Math.min(100, percentOf(baseUnits, supply));
}
