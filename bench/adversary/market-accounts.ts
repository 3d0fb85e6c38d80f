import { seededRandom } from "#demo/seeded-random.ts";
import { mintAccount } from "#demo/token-accounts.ts";
import { clockAccount } from "#src/node/slot-clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR, USDC, WSOL } from "#src/units/known-addresses.ts";
import type { Account } from "#src/venues/account-set.ts";
import { DECIMALS, PLAN_CLOCK, type Writer, writePool } from "./pool-accounts.ts";
import type { MarketPlan, PlannedPool, PoolPlan } from "./pool-plan.ts";

/** True account bytes of a planned market. */
export type PlannedMarket = {
  readonly mint: Address;
  readonly accounts: Map<Address, Account>;
  /** In the order of the plan. */
  readonly pools: readonly PlannedPool[];
  /** Pools that sell what those pay. */
  readonly hops: readonly PlannedPool[];
};

/** Lamports that a millionth of a USDC is worth, and the SOL in its honest pool. */
const USDC_UNIT_LAMPORTS = 5;
const USDC_POOL_SOL = 50_000;
/** How much of its own token an attacker puts into a pool for each SOL behind it: it costs nothing. */
const OWN_TOKEN_MULTIPLE = 50;
const OWN_TOKEN_UNIT_LAMPORTS = 1;
const { slot: SLOT } = PLAN_CLOCK;

/** Writes every account of the market. The same plan gives the same bytes. */
export function writeMarket(plan: MarketPlan): PlannedMarket {
  const random = seededRandom(plan.seed);
  const mint = random.address();
  const accounts = new Map<Address, Account>();
  const supply = BigInt(Math.round((plan.supplySol * 1e9) / plan.unitLamports));
  accounts.set(mint, mintAccount({ supply, decimals: DECIMALS, slot: SLOT }));
  accounts.set(WSOL, mintAccount({ supply: 0n, decimals: 9, slot: SLOT }));
  accounts.set(CLOCK_SYSVAR, clockAccount(PLAN_CLOCK));
  const hops: PlannedPool[] = [];
  const writer = { accounts, random, baseMint: mint };
  const pools = plan.pools.map((pool, index) => {
    // A pool added to a plan leaves the addresses of the others as they are.
    const own = { ...writer, random: seededRandom(plan.seed * 1_000 + index + 1) };
    return writePlanned(own, pool, hops);
  });
  return { mint, accounts, pools, hops };
}

function writePlanned(writer: Writer, plan: PoolPlan, hops: PlannedPool[]): PlannedPool {
  const { baseMint } = writer;
  switch (plan.quote) {
    case "sol":
      return writePool(writer, { plan, baseMint, quoteMint: WSOL });
    case "usdc": {
      if (!hops.some(({ baseMint: sold }) => sold === USDC)) {
        const hop = { ...plan, venue: "raydium-amm-v4", sol: USDC_POOL_SOL } as const;
        hops.push(writeHop(writer, { ...hop, price: USDC_UNIT_LAMPORTS, feePct: 0.25 }, USDC));
      }
      return writePool(writer, {
        plan: inQuoteUnits(plan, USDC_UNIT_LAMPORTS, 1),
        baseMint,
        quoteMint: USDC,
      });
    }
    case "own-token": {
      const own = writer.random.address();
      const hop = { ...plan, venue: "raydium-amm-v4", price: OWN_TOKEN_UNIT_LAMPORTS } as const;
      hops.push(writeHop(writer, { ...hop, feePct: 0.25 }, own));
      return writePool(writer, {
        plan: inQuoteUnits(plan, OWN_TOKEN_UNIT_LAMPORTS, OWN_TOKEN_MULTIPLE),
        baseMint,
        quoteMint: own,
      });
    }
  }
}

/** The plan with its amounts in units of another quote. */
function inQuoteUnits(plan: PoolPlan, unitLamports: number, multiple: number): PoolPlan {
  return {
    ...plan,
    sol: (plan.sol * multiple) / unitLamports,
    price: plan.price / unitLamports,
  };
}

function writeHop(writer: Writer, plan: PoolPlan, baseMint: Address): PlannedPool {
  writer.accounts.set(
    baseMint,
    mintAccount({ supply: 10n ** 18n, decimals: DECIMALS, slot: SLOT }),
  );
  return writePool(writer, { plan, baseMint, quoteMint: WSOL });
}
