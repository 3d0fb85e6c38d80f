import type { Static } from "typebox";
import type { Assessment, Profile } from "#src/measure/assessment.ts";
import type { PoolHolders } from "#src/measure/share-holders.ts";
import type { StressedExit, StressedPool } from "#src/measure/stress.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { lamportsToSol, priceOf } from "./exitability.ts";
import type { StressedExitBody } from "./schema/stressed.ts";

type Body = Static<typeof StressedExitBody>;

export type StressedAnswer = {
  /** What the token was last told to be; said where the exit itself is not known. */
  readonly assessment: Assessment;
  /** Null where no market is held. */
  readonly exit: StressedExit | null;
  readonly profile: Profile;
  readonly nowMs: number;
};

/** GET /api/token/{id}/exitability/stressed: the ladder now, and what a withdrawal would leave of it. */
export function stressedBody({ assessment, exit, profile, nowMs }: StressedAnswer): Body {
  const told = exit?.now ?? assessment;
  const now = exit === null ? null : ladderOf(exit.now, profile);
  const stressed = exit === null || exit.after === null ? null : ladderOf(exit.after, profile);
  return {
    token_id: told.mint,
    profile,
    slot: toNumber(told.slot),
    updated_at: new Date(told.stateTimeMs).toISOString(),
    age_seconds: Math.max(0, (nowMs - told.stateTimeMs) / 1_000),
    state: stateOf(exit, { now, stressed }),
    now,
    stressed,
    withdrawal: now === null || exit === null ? null : withdrawalOf(exit),
    pools: exit === null ? null : exit.pools.map(poolOf),
  };
}

function stateOf(
  exit: StressedExit | null,
  { now, stressed }: Pick<Body, "now" | "stressed">,
): Body["state"] {
  if (exit === null || now === null) return "bloqueado_dato";
  if (stressed === null) return "unknown";
  return exit.pools.every(({ holders }) => holders.kind !== "unknown") ? "ok" : "partial";
}

function ladderOf({ measurement, decimals }: Assessment, profile: Profile): Body["now"] {
  if (measurement === null) return null;
  const { depthLamports, midPrice } = measurement;
  const { score, exitMaxSol, slippagePct } = measurement[profile];
  return {
    depth_sol: lamportsToSol(depthLamports),
    precio_mid: midPrice === null ? null : priceOf(midPrice, decimals),
    score,
    exit_max_sol: exitMaxSol,
    slippage: slippagePct,
  };
}

function withdrawalOf({ withdrawal, now }: StressedExit): Body["withdrawal"] {
  const depth = now.measurement?.depthLamports ?? 0n;
  if (withdrawal === null || depth === 0n) return null;
  return {
    owner: withdrawal.owner,
    owner_kind: withdrawal.standing,
    depth_sol: lamportsToSol(withdrawal.lamports),
    share_pct: Math.min(100, 100 * ratioToNumber(withdrawal.lamports, depth)),
  };
}

function poolOf(pool: StressedPool): NonNullable<Body["pools"]>[number] {
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
      unlisted_pct: null,
      holders_slot: holders.kind === "known" ? toNumber(holders.slot) : null,
    };
  }
  const percent = (shares: bigint): number => 100 * ratioToNumber(shares, holders.issued);
  return {
    largest_pct: percent(holders.owners[0]?.shares ?? 0n),
    burned_pct: percent(holders.burned),
    locked_pct: percent(holders.locked),
    unlisted_pct: percent(holders.unlisted),
    holders_slot: toNumber(holders.slot),
  };
}
