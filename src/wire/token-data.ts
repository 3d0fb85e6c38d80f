import type { Assessment, PoolShare } from "#src/measure/assessment.ts";
import { STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { ExitAt } from "#src/measure/exit-at.ts";
import type { ExitRoute } from "#src/measure/exit-route.ts";
import type { Confidence } from "#src/measure/finding.ts";
import { retailScore } from "#src/measure/ladder.ts";
import type { TokenFacts } from "#src/measure/market.ts";
import { ratioToNumber, toNumber } from "#src/units/to-number.ts";
import { lamportsToSol, priceOf } from "./exitability.ts";
import { AMM_OF_FAMILY, CAUSE_WORD, CONFIDENCE_WORD } from "./words.ts";

/**
 * GET /api/token/{id}: what the token calls itself, and what its mint lets somebody do to a holder.
 * Each of those says whether there is none, it is set, or it is not known: null never means none.
 */
export function tokenBody({ assessment, name, symbol }: TokenAnswer) {
  const { token } = assessment;
  const setting = (address: (facts: TokenFacts) => string | null) => addressSetting(token, address);
  return {
    token_id: assessment.mint,
    name,
    symbol,
    decimals: assessment.decimals,
    supply_units: token === null ? null : String(token.supply),
    supply_tokens:
      token === null ? null : ratioToNumber(token.supply, 10n ** BigInt(token.decimals)),
    mint_authority: setting((facts) => facts.mintAuthority),
    freeze_authority: setting((facts) => facts.freezeAuthority),
    permanent_delegate: setting((facts) => facts.permanentDelegate),
    transfer_hook: {
      ...setting((facts) => facts.transferHook),
      authority: setting((facts) => facts.transferHookAuthority),
    },
    transfer_fee: transferFeeBody(token),
    pausable: {
      status: statusOf(token, (facts) => facts.pausable),
      is_paused: token === null ? null : (token.pausable?.isPaused ?? false),
      authority: setting((facts) => facts.pausable?.authority ?? null),
    },
    accounts_start_frozen: token?.startsFrozen ?? null,
    is_transferable: token === null ? null : !token.isNonTransferable,
    slot: toNumber(assessment.slot),
    updated_at: new Date(assessment.stateTimeMs).toISOString(),
  };
}

export type TokenAnswer = {
  readonly assessment: Assessment;
  readonly name: string | null;
  readonly symbol: string | null;
};

function transferFeeBody(token: TokenFacts | null) {
  const fee = token?.transferFee ?? null;
  const announced = fee?.announced ?? null;
  return {
    status: statusOf(token, (facts) => facts.transferFee),
    fee_pct: token === null ? null : (fee?.feeBps ?? 0) / BPS_PER_PERCENT,
    max_fee_units: fee === null ? null : String(fee.maximum),
    authority: addressSetting(token, (facts) => facts.transferFee?.authority ?? null),
    announced: {
      status: statusOf(token, (facts) => facts.transferFee?.announced ?? null),
      from_epoch: announced === null ? null : toNumber(announced.epoch),
      fee_pct: announced === null ? null : announced.feeBps / BPS_PER_PERCENT,
      max_fee_units: announced === null ? null : String(announced.maximum),
    },
  };
}

function addressSetting(token: TokenFacts | null, addressOf: (facts: TokenFacts) => string | null) {
  return {
    status: statusOf(token, addressOf),
    address: token === null ? null : addressOf(token),
  };
}

function statusOf(token: TokenFacts | null, settingOf: (facts: TokenFacts) => unknown) {
  if (token === null) return "unknown";
  return settingOf(token) === null ? "none" : "set";
}

const BPS_PER_PERCENT = 100;
const SAMPLE_DIGITS = 7;
const SLIPPAGE_SCALE = 10_000;

/**
 * GET /api/token/{id}/pools: each pool with its share of the depth; null where the token is blocked:
 * then it is not known what they hold, and no pools at all would be another answer.
 */
export function poolsBody(assessment: Assessment) {
  const pools = assessment.measurement?.pools ?? null;
  const total = (pools ?? []).reduce((sum, { depthLamports }) => sum + depthLamports, 0n);
  return {
    token_id: assessment.mint,
    slot: toNumber(assessment.slot),
    updated_at: new Date(assessment.stateTimeMs).toISOString(),
    state: pools === null ? "bloqueado_dato" : "ok",
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
    share_pct: totalLamports === 0n ? null : 100 * ratioToNumber(pool.depthLamports, totalLamports),
    spot_price: pool.spotPrice === null ? null : priceOf(pool.spotPrice, decimals),
    fee_pct: pool.feePpm / 10_000,
  };
}

export type ExitAtAnswer = {
  readonly assessment: Assessment;
  readonly profile: "retail" | "pro";
  readonly exit: ExitAt;
  readonly nowMs: number;
};

/** GET /api/token/{id}/exitability/at: any size, exact, not snapped, with the way it goes. */
export function exitAtBody({ assessment, profile, exit, nowMs }: ExitAtAnswer) {
  const base = {
    token_id: assessment.mint,
    profile,
    slot: toNumber(assessment.slot),
    updated_at: new Date(assessment.stateTimeMs).toISOString(),
    age_seconds: Math.max(0, (nowMs - assessment.stateTimeMs) / 1_000),
  };
  if (exit.kind === "unsellable") {
    return {
      ...base,
      state: exit.reason === "blocked" ? "bloqueado_dato" : "no_exit",
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
    average_price: priceOf(exit.averagePrice, decimals),
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

type HistoryPoint = {
  readonly atMs: number;
  readonly c10Sol: number | null;
  readonly depthSol: number | null;
  readonly slippagePct: readonly (number | null)[];
  readonly confidence: Confidence | null;
};

type HistoryAlert = {
  readonly id: bigint;
  readonly detector: string;
  readonly cause: string;
  readonly share: number | null;
  readonly slot: bigint;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly before: { readonly c10Sol: number; readonly depthSol: number | null };
  readonly after: { readonly c10Sol: number; readonly depthSol: number | null };
};

export type HistoryAnswer = {
  readonly mint: string;
  readonly stepMs: number;
  readonly points: readonly HistoryPoint[];
  readonly alerts: readonly HistoryAlert[];
};

/** GET /api/token/{id}/history: an even grid; null where nothing was known. */
export function historyBody({ mint, stepMs, points, alerts }: HistoryAnswer) {
  return {
    token_id: mint,
    step_seconds: stepMs / 1_000,
    points: points.map(pointBody),
    alerts: alerts.map(alertBody),
  };
}

function pointBody({ atMs, c10Sol, depthSol, slippagePct, confidence }: HistoryPoint) {
  const slippages = STANDARD_SIZES.map((_, index) => asAnswered(slippagePct[index] ?? null));
  return {
    t: new Date(atMs).toISOString(),
    c10_sol: c10Sol === null ? null : asKept(c10Sol),
    depth_sol: depthSol === null ? null : asKept(depthSol),
    // Without a depth the token was blocked, or nothing was known: no slippage of it is a refusal.
    score: depthSol === null ? null : retailScore(slippages),
    slippage: Object.fromEntries(
      STANDARD_SIZES.map((size, index) => [size, slippages[index] ?? null]),
    ),
    confianza: confidence === null ? null : CONFIDENCE_WORD[confidence],
  };
}

/** Samples are kept with seven digits; what follows them is nothing that was measured. */
function asKept(figure: number): number {
  return Number(figure.toPrecision(SAMPLE_DIGITS));
}

/** A slippage with the four decimals that it was answered with. */
function asAnswered(slippagePct: number | null): number | null {
  return slippagePct === null ? null : Math.round(slippagePct * SLIPPAGE_SCALE) / SLIPPAGE_SCALE;
}

function alertBody(alert: HistoryAlert) {
  const { before, after, share } = alert;
  return {
    id: String(alert.id),
    started_at: new Date(alert.startedAtMs).toISOString(),
    ended_at: alert.endedAtMs === null ? null : new Date(alert.endedAtMs).toISOString(),
    detector: alert.detector,
    cause: CAUSE_WORD[alert.cause] ?? "unknown",
    share_pct: share === null ? null : 100 * share,
    slot: toNumber(alert.slot),
    c10_before_sol: before.c10Sol,
    c10_after_sol: after.c10Sol,
    depth_before_sol: before.depthSol,
    depth_after_sol: after.depthSol,
  };
}
