import { between, type Random, seededRandom } from "#src/platform/seeded-random.ts";
import { type MarketPlan, PLANNED_VENUES, type PoolPlan } from "./pool-plan.ts";

const UNIT_LAMPORTS = [0.001, 0.001, 0.001, 0.02, 1, 50, 3_000, 100_000] as const;
const FEES_PCT = [0.25, 0.3, 1, 2] as const;

/**
 * A market without attacks, by seed: one to five pools of 0.5 to 5,000 SOL together, whose prices
 * differ by less than their fees, so that there is nothing to arbitrage between them.
 */
export function honestMarket(seed: number): MarketPlan {
  const random = seededRandom(seed);
  const unitLamports = pick(random, UNIT_LAMPORTS);
  const count = 1 + Math.floor(5 * random());
  const wholeSol = between(random, 0.5, 5_000);
  const shares = Array.from({ length: count }, () => between(random, 0.05, 1));
  const sum = shares.reduce((all, share) => all + share, 0);
  const pools = shares.map((share) =>
    honestPool(random, { sol: (wholeSol * share) / sum, unitLamports, isOnly: count === 1 }),
  );
  return { seed, unitLamports, supplySol: wholeSol * between(random, 1.5, 40), pools };
}

function honestPool(
  random: Random,
  { sol, unitLamports, isOnly }: { sol: number; unitLamports: number; isOnly: boolean },
): PoolPlan {
  const venue = pick(random, PLANNED_VENUES);
  const feePct = venue === "raydium-amm-v4" ? 0.25 : pick(random, FEES_PCT);
  const away = isOnly ? 0 : ((2 * random() - 1) * 0.9 * feePct) / 100;
  const isRanged = random() < 0.5;
  return {
    venue,
    sol,
    price: unitLamports * (1 + away),
    feePct,
    range: venue === "meteora-dlmm" || isRanged ? between(random, 0.08, 0.6) : 1,
    sells: true,
    quote: random() < 0.15 ? "usdc" : "sol",
    opensLater: false,
  };
}

/** The market after its providers took out a share of every pool. */
export function withoutShare(plan: MarketPlan, share: number): MarketPlan {
  return { ...plan, pools: plan.pools.map((pool) => ({ ...pool, sol: pool.sol * (1 - share) })) };
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[Math.floor(choices.length * random())];
  if (choice === undefined) throw new RangeError("nothing to pick from");
  return choice;
}
