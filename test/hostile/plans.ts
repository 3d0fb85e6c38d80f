import type { MarketPlan, PoolPlan } from "#bench/adversary/pool-plan.ts";
import type { Assessment, Measurement } from "#src/measure/assessment.ts";
import { confidenceOf } from "#src/measure/confidence/findings.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { meteoraDammV2 } from "#src/venues/meteora-damm-v2/adapter.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import { dammV2State } from "#test/support/pools/meteora-pools.ts";
import { poolAddress, TOKEN } from "#test/support/pools/pools.ts";

/** What a user sees of an assessment. */
export type Seen = {
  readonly blocked: Assessment["blocked"];
  readonly mid: number | null;
  readonly retail: number | null;
  readonly pro: number | null;
  readonly exitMaxSol: number | null;
  readonly family: string;
  readonly confidence: string;
};

const PLAIN: PoolPlan = {
  venue: "raydium-amm-v4",
  sol: 1_000,
  price: 0.001,
  feePct: 0.25,
  range: 1,
  sells: true,
  quote: "sol",
  opensLater: false,
};

/** An AMM v4 pool of 1,000 SOL at 0.001 lamports a unit, or as changed. */
export function honestPool(changes: Partial<PoolPlan> = {}): PoolPlan {
  return { ...PLAIN, ...changes };
}

/** A DAMM v2 pool that only buys: 0.12 SOL within 10 % below its price, or as changed. */
export function bidPool(changes: Partial<PoolPlan>): PoolPlan {
  return {
    ...PLAIN,
    venue: "meteora-damm-v2",
    sol: 0.12,
    range: 0.1,
    sells: false,
    ...changes,
  };
}

export function planOf(pools: readonly PoolPlan[], changes: Partial<MarketPlan> = {}): MarketPlan {
  return { seed: 1, unitLamports: 0.001, supplySol: 20_000, pools, ...changes };
}

const LIMITED_CLOCK = { slot: 5_000n, unixTimestamp: 1_790_000_000n, epoch: 925n };

/**
 * A DAMM v2 pool that only buys, for SOL, and whose rate limiter charges 0.01 % of `freeUnits` base units and
 * almost 99 % of a hundred times as much.
 */
export function limitedBidPool(
  sol: number,
  { price, freeUnits }: { readonly price: number; readonly freeUnits: bigint },
): QuotablePool {
  const sqrtPrice = BigInt(Math.round(Math.sqrt(1 / price) * 2 ** 64));
  const sqrtMaxPrice = 1_000n * sqrtPrice;
  const held = BigInt(Math.round(sol * 1e9));
  const plain = dammV2State();
  const state = dammV2State({
    tokenA: { ...plain.tokenA, mint: WSOL, reserve: held, vaultAmount: held },
    tokenB: { ...plain.tokenB, mint: TOKEN, reserve: 0n, vaultAmount: 0n },
    liquidity: (held * sqrtPrice * sqrtMaxPrice) / (sqrtMaxPrice - sqrtPrice),
    sqrtPrice,
    initSqrtPrice: sqrtPrice,
    sqrtMinPrice: sqrtPrice,
    sqrtMaxPrice,
    collectFeeMode: "only-b",
    activationPoint: LIMITED_CLOCK.unixTimestamp - 100n,
    baseFee: {
      kind: "rate-limiter",
      cliffFeeNumerator: 100_000n,
      feeIncrementBps: 9_000n,
      maxDuration: 43_200n,
      maxFeeBps: 9_900n,
      referenceAmount: freeUnits,
    },
  });
  return bindPool({
    venue: meteoraDammV2,
    address: poolAddress(99),
    state,
    baseMint: TOKEN,
    quoteMint: WSOL,
    clock: LIMITED_CLOCK,
    fast: null,
  });
}

export function seen(assessment: Assessment): Seen {
  const measurement: Measurement | null = assessment.measurement;
  const mid = measurement?.midPrice ?? null;
  return {
    blocked: assessment.blocked,
    mid: mid === null ? null : ratioToNumber(mid.numerator, mid.denominator),
    retail: measurement?.retail.score ?? null,
    pro: measurement?.pro.score ?? null,
    exitMaxSol: measurement?.retail.exitMaxSol ?? null,
    family: assessment.family,
    confidence: confidenceOf(assessment),
  };
}
