import Type, { type Static } from "typebox";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import type { PoolHolders } from "#src/measure/questions/share-holders.ts";
import type { StressedPool as PoolStress, StressedExit } from "#src/measure/questions/stress.ts";
import { lamportsToSol, percentOf, toNumber } from "#src/units/to-number.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { AddressText, nullable, nullablePercent } from "../values.ts";
import { STATE_WORD } from "../words.ts";
import {
  ladderFields,
  ladderSchema,
  MEASURED_SCHEMA,
  measuredFields,
  midField,
} from "./ladder-fields.ts";
import { largestLocks, lockOf, MAX_LOCKS, StressedLock, timeLocked } from "./stressed-locks.ts";
import { answerNow, PRESENT_PROFILE_OPERATION } from "./token-question.ts";

const StressLadder = Type.Object({
  depth_sol: Type.Number({ description: "SOL that sellers can take out, down to price zero" }),
  precio_mid: nullable(Type.Number(), "SOL per whole token; null where nothing can be sold"),
  ...ladderSchema("each worth that at this ladder's own mid"),
});

/** A pool of a stressed exit. What is not known is null, and `reason` says why. */
const StressedPool = Type.Object({
  program: Type.String({ description: "The program, as in /api/status" }),
  address: AddressText,
  depth_sol: nullable(Type.Number(), "SOL that selling can take out of it now; null: not known"),
  who: Type.Enum(["known", "nobody", "unknown"], {
    description:
      // plain-words-allow: nobody is a value of the contract
      "Whether it is known who can withdraw its liquidity; nobody: a launchpad's curve has no shares",
  }),
  reason: nullable(
    Type.Enum([
      "positions-not-read",
      "holders-not-read",
      "shares-do-not-add-up",
      "not-among-the-deepest",
      "withdrawal-not-modelled",
      "not-priced",
    ]),
    "Why it is not known; null where it is",
  ),
  leaving_sol: nullable(
    Type.Number({ minimum: 0 }),
    "What of its depth leaves with the withdrawal; null: not known",
  ),
  largest_pct: nullablePercent(
    "Share of the pool's shares that belongs to the largest owner who may withdraw. Where positions have their own ranges, a share is the amount that they hold now of the mint that sellers receive",
  ),
  burned_pct: nullablePercent("Burned, never issued, or held by an address without a signer"),
  locked_pct: nullablePercent("Held by a locker that gives back fees and never the liquidity"),
  time_locked_pct: nullablePercent("Shares in locks that are not open yet; `locks` has the times"),
  unlisted_pct: nullablePercent(
    "Shares in accounts that were not read, each smaller than any account that was read: beyond the twenty largest, or beyond the eight largest positions with their own ranges",
  ),
  locks: nullable(
    Type.Array(StressedLock),
    "The twenty largest locks of the shares that were read, sorted by `opens_fully`; locks without known dates are last",
  ),
  locks_not_listed: nullable(
    Type.Integer({ minimum: 0 }),
    "Locks beyond the twenty largest; `time_locked_pct` counts their shares too",
  ),
  holders_slot: nullable(Type.Integer(), "The slot at which the holders were read"),
});

/** The exits now, and after the largest withdrawal that is known to be possible. */
const StressedExitBody = Type.Object(
  {
    ...MEASURED_SCHEMA,
    state: Type.Enum(["ok", "partial", "unknown", STATE_WORD.blocked], {
      description:
        "ok: of every pool it is known who can withdraw. partial: of some; the others are unchanged in `stressed`, which may be too good. unknown: of none, or what would be left can't be measured; there is no `stressed`",
    }),
    now: nullable(StressLadder, "Null where the token is blocked"),
    stressed: nullable(StressLadder, "Null where it is not known; never the same as safe"),
    withdrawal: nullable(
      Type.Object({
        owner: AddressText,
        owner_kind: Type.Enum(["wallet", "program"], {
          description:
            "program: a program signs for it; whether it lets anybody withdraw is not known, and taken to be so",
        }),
        depth_sol: Type.Number({ description: "What of the depth leaves" }),
        share_pct: Type.Number({ minimum: 0, maximum: 100, description: "Of the whole depth" }),
      }),
      "The largest that one owner can make; null: no such owner is known, though one may exist",
    ),
    pools: nullable(Type.Array(StressedPool), "Null where no market of the token is held"),
  },
  { $id: "StressedExit" },
);

type StressedBody = Static<typeof StressedExitBody>;

const WITH_ONE_OWNER = {
  who: "known",
  reason: null,
  leaving_sol: 0,
  largest_pct: 100,
  burned_pct: 0,
  locked_pct: 0,
  time_locked_pct: 0,
  unlisted_pct: 0,
  locks: [],
  locks_not_listed: 0,
  holders_slot: 419999950,
};

const STRESSED_EXAMPLE = {
  token_id: EXAMPLE_MINT,
  profile: "pro",
  slot: 420000000,
  updated_at: "2026-11-21T01:10:10.000Z",
  age_seconds: 0.4,
  state: "ok",
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
      burned_pct: 20.000000002738076,
      locked_pct: 0,
      time_locked_pct: 10,
      unlisted_pct: 0,
      locks: [
        {
          locker: "jupiter-lock",
          owner: "4qx8LEUTvjiBJixUH5MqymMLyBXE4JJopDUVbUPUMM3R",
          share_pct: 10,
          opens_next: { at: "2026-12-01T00:00:00.000Z", slot: null },
          opens_fully: { at: "2027-06-01T00:00:00.000Z", slot: null },
          reason: null,
        },
      ],
      locks_not_listed: 0,
      holders_slot: 419999950,
    },
    {
      program: "meteora-dlmm",
      address: "76EUJpnGT21AGemaiAiQaFryGF3rbgTo38AENwRxKn9r",
      depth_sol: 90,
      ...WITH_ONE_OWNER,
    },
    {
      program: "raydium-clmm",
      address: "7TCBSPeUZkaPJ1ojcvDHCkawFQBVFnnGVkyw6JdCtRiN",
      depth_sol: 59.805028393,
      ...WITH_ONE_OWNER,
    },
  ],
};

export const getStressedExit = defineOperation({
  ...PRESENT_PROFILE_OPERATION,
  path: "/api/token/{id}/exitability/stressed",
  id: "getStressedExit",
  tag: "exitability",
  summary: "The exits that are left after the largest withdrawal",
  description:
    "The ladder now, beside the ladder after the owner whose liquidity shares are worth most has withdrawn all of them, in every pool with known owners. It measures what would be left; it does not predict that anybody will withdraw. Pools with unknown owners are listed with the reason: unknown is never safe. Burned shares, shares in lockers that never return them, and shares in locks that are not open yet stay; `locks` says when these open. Shareholders are read on request, at most once a minute and pool, of the token's eight deepest such pools; `holders_slot` says when. It counts as one query like every other question about a token. at_slot is refused: past pools are not stored.",
  responses: {
    200: {
      description: "Both ladders, the withdrawal, and what is known of each pool",
      schema: StressedExitBody,
      example: STRESSED_EXAMPLE,
    },
  },
  handler: ({ params: { id }, query: { profile } }, { markets, clock }) =>
    answerNow(markets, { id, profile }, async ({ assessment }, mint) => {
      const exit = await markets.stressed(mint);
      return { body: stressedBody({ assessment, exit, profile, nowMs: clock.nowMs() }) };
    }),
});

type StressedAnswer = {
  /** The newest assessment, used while no market is held. */
  readonly assessment: Assessment;
  /** Null if no market is held. */
  readonly exit: StressedExit | null;
  readonly profile: Profile;
  readonly nowMs: number;
};

/** GET /api/token/{id}/exitability/stressed: the ladder now, and what a withdrawal would leave of it. */
function stressedBody({ assessment, exit, profile, nowMs }: StressedAnswer): StressedBody {
  const measured = exit?.now ?? assessment;
  const now = exit === null ? null : ladderOf(exit.now, profile);
  const stressed = exit === null || exit.after === null ? null : ladderOf(exit.after, profile);
  return {
    ...measuredFields({ measured, profile, nowMs }),
    state: stateOf(exit, { now, stressed }),
    now,
    stressed,
    withdrawal: now === null || exit === null ? null : withdrawalOf(exit),
    pools: exit === null ? null : exit.pools.map(poolOf),
  };
}

function stateOf(
  exit: StressedExit | null,
  { now, stressed }: Pick<StressedBody, "now" | "stressed">,
): StressedBody["state"] {
  if (exit === null || now === null) return STATE_WORD.blocked;
  if (stressed === null) return "unknown";
  return exit.pools.every(({ holders }) => holders.kind !== "unknown") ? "ok" : "partial";
}

function ladderOf(assessment: Assessment, profile: Profile): StressedBody["now"] {
  const { measurement } = assessment;
  if (measurement === null) return null;
  return {
    depth_sol: lamportsToSol(measurement.depthLamports),
    precio_mid: midField(assessment),
    ...ladderFields(measurement[profile]),
  };
}

function withdrawalOf({ withdrawal, now }: StressedExit): StressedBody["withdrawal"] {
  const depth = now.measurement?.depthLamports ?? 0n;
  if (withdrawal === null || depth === 0n) return null;
  return {
    owner: withdrawal.owner,
    owner_kind: withdrawal.standing,
    depth_sol: lamportsToSol(withdrawal.lamports),
    share_pct: Math.min(100, percentOf(withdrawal.lamports, depth)),
  };
}

function poolOf(pool: PoolStress): NonNullable<StressedBody["pools"]>[number] {
  const { holders } = pool;
  return {
    program: pool.venue,
    address: pool.address,
    depth_sol: pool.depthLamports === null ? null : lamportsToSol(pool.depthLamports),
    who: holders.kind,
    reason: holders.kind === "unknown" ? holders.reason : null,
    leaving_sol: pool.leavingLamports === null ? null : lamportsToSol(pool.leavingLamports),
    ...sharesOf(holders),
  };
}

function sharesOf(holders: PoolHolders) {
  if (holders.kind !== "known" || holders.issued === 0n) {
    return {
      largest_pct: null,
      burned_pct: null,
      locked_pct: null,
      time_locked_pct: null,
      unlisted_pct: null,
      locks: null,
      locks_not_listed: null,
      holders_slot: holders.kind === "known" ? toNumber(holders.slot) : null,
    };
  }
  const percent = (shares: bigint): number => percentOf(shares, holders.issued);
  return {
    largest_pct: percent(holders.owners[0]?.shares ?? 0n),
    burned_pct: percent(holders.burned),
    locked_pct: percent(holders.locked),
    time_locked_pct: percent(timeLocked(holders.locks)),
    unlisted_pct: percent(holders.unlisted),
    locks: largestLocks(holders.locks).map((lock) => lockOf(lock, percent(lock.shares))),
    locks_not_listed: Math.max(0, holders.locks.length - MAX_LOCKS),
    holders_slot: toNumber(holders.slot),
  };
}
