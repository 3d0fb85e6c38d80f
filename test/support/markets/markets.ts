import type { Market, TokenFacts } from "#src/measure/market/market.ts";
import { address } from "#src/units/address.ts";
import { USDC } from "#src/units/known-addresses.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import { constantProductPool, TOKEN } from "../pools/pools.ts";

export const SOL = 1_000_000_000n;

/** An address that has an authority. */
export const SOMEBODY = address("8h4fQdVJPmFkMJ7FzkyCY5EqCn3VdrLQKVuAtuuRNdsZ");

/** A plain token of six decimals and a thousand million units, without any hazard. */
export const PLAIN_TOKEN: TokenFacts = {
  decimals: 6,
  supply: 1_000_000_000_000_000n,
  mintAuthority: null,
  freezeAuthority: null,
  transferFee: null,
  transferHook: null,
  transferHookAuthority: null,
  permanentDelegate: null,
  pausable: null,
  startsFrozen: false,
  isNonTransferable: false,
};

/** A fresh, completely searched market of these pools, with enough history. */
export function marketOf(
  pools: readonly QuotablePool[],
  changes: Partial<Omit<Market, "pools">> = {},
): Market {
  return {
    mint: TOKEN,
    token: PLAIN_TOKEN,
    pools,
    hopPools: [],
    unpriced: [],
    isSearchComplete: true,
    awaitsGraduation: false,
    slot: 300_000_000n,
    stateTimeMs: 1_790_000_000_000,
    nowMs: 1_790_000_000_400,
    historySeconds: 3_600,
    exactPctByVenue: new Map(),
    ...changes,
  };
}

/** A pool of `sol` SOL at `lamportsPerUnit`, as most launches have it. */
export function poolOfSol(
  sol: number,
  lamportsPerUnit = 0.001,
  shape: Partial<Parameters<typeof constantProductPool>[0]> = {},
): QuotablePool {
  const quote = BigInt(Math.round(sol * 1e9));
  const base = BigInt(Math.round((sol * 1e9) / lamportsPerUnit));
  return constantProductPool({ base, quote, ...shape });
}

/** A deep pool that sells USDC at `lamportsPerUnit` of a millionth: 5 is 200 USDC a SOL. */
export function usdcPool(sol = 50_000, lamportsPerUnit = 5): QuotablePool {
  return poolOfSol(sol, lamportsPerUnit, {
    number: 9_000,
    baseMint: USDC,
    feePpm: 400,
    venue: "raydium-clmm",
  });
}
