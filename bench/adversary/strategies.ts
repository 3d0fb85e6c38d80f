import { between, type Random } from "#src/platform/seeded-random.ts";
import { pick } from "./honest-markets.ts";
import { hasRange, type PlannedQuote, type PoolPlan, saleLossSol } from "./pool-plan.ts";

/** Pools that an attacker adds, and when. Steps are ten seconds. */
export type Attack = {
  readonly strategy: string;
  readonly pools: readonly PoolPlan[];
  readonly timing: Timing;
};

export type Timing = {
  /** The pools come at this step after the market has been watched for a while. */
  readonly fromStep: number;
  /** And go again after so many; then they come and go with that period. */
  readonly onSteps: number;
  readonly offSteps: number;
};

/** What the attacker knows and has. */
export type Target = {
  readonly unitLamports: number;
  readonly budgetSol: number;
};

type Strategy = (random: Random, target: Target) => readonly PoolPlan[];

const DAMM: PoolPlan = {
  venue: "meteora-damm-v2",
  sol: 1,
  price: 1,
  feePct: 0.01,
  range: 0.1,
  sells: false,
  quote: "sol",
  opensLater: false,
};

const VENUES_OF_BIDS = ["meteora-damm-v2", "meteora-dlmm"] as const;
const VENUES_OF_POOLS = ["raydium-amm-v4", "raydium-cpmm", "orca-whirlpool"] as const;

export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  "high fee above": (random, { unitLamports }) => {
    const feePct = between(random, 3, 99);
    const price = (unitLamports / (1 - feePct / 100)) * between(random, 0.9, 1.1);
    return several(random, 3, () => ({
      ...DAMM,
      feePct,
      price,
      range: between(random, 1e-3, 0.5),
    }));
  },
  "bid below": (random, { unitLamports }) =>
    several(random, 3, () => bid(random, unitLamports * between(random, 0.5, 1))),
  "bid above": (random, { unitLamports }) =>
    several(random, 3, () => bid(random, unitLamports * between(random, 1, 3))),
  "junk bids": (random, { unitLamports }) =>
    several(random, 4, () => bid(random, unitLamports * between(random, 1e-6, 0.5))),
  "many dust pools": (random, { unitLamports }) =>
    Array.from({ length: 10 + Math.floor(20 * random()) }, () => ({
      ...bid(random, unitLamports * between(random, 0.01, 100)),
      feePct: between(random, 0.01, 99),
    })),
  "pool beside": (random, { unitLamports }) =>
    several(random, 2, () => ({
      ...DAMM,
      venue: pick(random, VENUES_OF_POOLS),
      price: unitLamports * between(random, 0.5, 2),
      feePct: between(random, 0.25, 4),
      sells: true,
    })),
  "cheap asks": (random, { unitLamports }) =>
    several(random, 2, () => ({
      ...DAMM,
      price: unitLamports * between(random, 0.7, 1),
      range: between(random, 0.001, 0.5),
      sells: true,
    })),
  "forced family": (random, { unitLamports }) =>
    several(random, 2, () => ({
      ...DAMM,
      venue: "orca-whirlpool",
      feePct: 0.25,
      price: unitLamports * between(random, 0.98, 1.005),
      sells: true,
    })),
  "not open yet": (random, { unitLamports }) =>
    several(random, 3, () => ({
      ...DAMM,
      price: unitLamports * between(random, 0.1, 10),
      opensLater: true,
    })),
  "own token": (random, { unitLamports }) =>
    several(random, 2, () => ({
      ...bid(random, unitLamports * between(random, 0.3, 3)),
      feePct: between(random, 0.01, 60),
      quote: "own-token" as const,
    })),
  mixed: (random, target) => [
    ...(STRATEGIES["high fee above"]?.(random, target) ?? []),
    ...(STRATEGIES["bid below"]?.(random, target) ?? []),
    ...(STRATEGIES["pool beside"]?.(random, target) ?? []),
  ],
};

function several(random: Random, most: number, make: () => PoolPlan): readonly PoolPlan[] {
  return Array.from({ length: 1 + Math.floor(most * random()) }, () => ({
    ...make(),
    sol: between(random, 0.05, 1),
  }));
}

function bid(random: Random, price: number): PoolPlan {
  return {
    ...DAMM,
    venue: pick(random, VENUES_OF_BIDS),
    price,
    feePct: between(random, 0.01, 3),
    range: between(random, 1e-4, 0.5),
  };
}

export function randomAttack(random: Random, strategy: string, target: Target): Attack {
  const pools = STRATEGIES[strategy]?.(random, target) ?? [];
  return withinBudget({ strategy, pools, timing: randomTiming(random) }, target);
}

function randomTiming(random: Random): Timing {
  return {
    fromStep: Math.floor(60 * random()),
    onSteps: pick(random, [1, 1, 3, 5, 7, 15, 100]),
    offSteps: pick(random, [1, 2, 6, 20, 100]),
  };
}

/** A neighbour of the attack: one to three of its numbers changed, by a little or by much. */
export function mutate(random: Random, attack: Attack, target: Target): Attack {
  const pools = attack.pools.map((pool) => ({ ...pool }));
  const changes = 1 + Math.floor(3 * random());
  for (let change = 0; change < changes; change++) {
    const at = Math.floor(pools.length * random());
    const pool = pools[at];
    if (pool !== undefined) pools[at] = mutatedPool(random, pool);
  }
  if (random() < 0.1 && pools.length > 1) pools.splice(Math.floor(pools.length * random()), 1);
  const copied = pools[Math.floor(pools.length * random())];
  if (random() < 0.1 && copied !== undefined && pools.length < 30) {
    pools.push(mutatedPool(random, copied));
  }
  const timing = random() < 0.3 ? randomTiming(random) : attack.timing;
  return withinBudget({ ...attack, pools, timing }, target);
}

function mutatedPool(random: Random, pool: PoolPlan): PoolPlan {
  const scale = Math.exp(pick(random, [0.001, 0.01, 0.1, 0.5]) * (random() + random() - 1) * 2);
  switch (Math.floor(7 * random())) {
    case 0:
      return { ...pool, sol: pool.sol * between(random, 0.1, 10) };
    case 1:
    case 2:
      return { ...pool, price: pool.price * scale };
    case 3:
      return { ...pool, feePct: pool.feePct * between(random, 0.3, 3) };
    case 4:
      return { ...pool, range: Math.min(1, pool.range * between(random, 0.2, 5)) };
    case 5:
      return { ...pool, sells: !pool.sells };
    default: {
      const quote: PlannedQuote = pick(random, ["sol", "sol", "usdc", "own-token"]);
      return { ...pool, quote, venue: pick(random, [...VENUES_OF_BIDS, ...VENUES_OF_POOLS]) };
    }
  }
}

/** The attack with what its programs allow, and scaled so that it costs the budget. */
function withinBudget(attack: Attack, { budgetSol, unitLamports }: Target): Attack {
  let pools = attack.pools.map(allowed);
  for (let round = 0; round < 3; round++) {
    const cost = costSol(pools, unitLamports);
    pools = pools.map((pool) => ({ ...pool, sol: Math.max(1e-7, (pool.sol * budgetSol) / cost) }));
  }
  return { ...attack, pools };
}

/** SOL in the attacker's pools, and what it loses to those who buy there too cheaply. */
function costSol(pools: readonly PoolPlan[], marketPrice: number): number {
  return pools.reduce((sum, pool) => sum + pool.sol + saleLossSol(pool, marketPrice), 0);
}

const LARGEST_FEE_PCT: Readonly<Record<PoolPlan["venue"], number>> = {
  "raydium-amm-v4": 0.25,
  "raydium-cpmm": 4,
  "meteora-damm-v2": 99,
  "meteora-dlmm": 10,
  "orca-whirlpool": 2,
};

function allowed(pool: PoolPlan): PoolPlan {
  const isAmmV4 = pool.venue === "raydium-amm-v4";
  const least = isAmmV4 ? 0.25 : 0.01;
  return {
    ...pool,
    feePct: Math.min(LARGEST_FEE_PCT[pool.venue], Math.max(least, pool.feePct)),
    range: Math.min(1, Math.max(1e-4, pool.range)),
    sells: pool.sells || !hasRange(pool),
    opensLater: pool.opensLater && pool.venue === "meteora-damm-v2",
  };
}
