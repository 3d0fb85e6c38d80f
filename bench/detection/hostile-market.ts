import { assess } from "#src/measure/assess.ts";
import type { Assessment } from "#src/measure/assessment.ts";
import type { Market, UnpricedPool } from "#src/measure/market/market.ts";
import { pricedPart } from "#src/measure/series/capacity-series.ts";
import { lossesBetween, NO_LOSSES } from "#src/measure/series/losses.ts";
import { LAMPORTS_PER_SOL } from "#src/units/amounts.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import { bindPool, type QuotablePool } from "#src/venues/quotable-pool.ts";
import { namedAddress, plainVenue } from "./plain-pool-venue.ts";
import type { Seen } from "./stage.ts";
import { priceOf, type VirtualMarket } from "./virtual-market.ts";

/** Pools that other users opened beside the market's own, and what they hold where it can't be priced. */
export type Strangers = {
  readonly pools: Map<string, VirtualMarket>;
  unpricedSol: number;
};

const MINT = namedAddress("hostile token");
const VENUE = plainVenue();
const BASE_SCALE = 1e7;
const CLOCK = { slot: 1n, epoch: 1n, unixTimestamp: 1_790_000_000n };

/** A market with other users' pools, measured by assess(); changes are derived as in the tracker. */
export class HostileView {
  #last: Assessment | null = null;

  /** What a feed shows of it now; null where nothing is known of any pool. */
  seen(own: VirtualMarket, strangers: Strangers): Seen | null {
    const assessment = assess(marketOf(own, strangers));
    const part = pricedPart(assessment);
    if (part === null) return null;
    const losses = this.#last === null ? null : lossesBetween(this.#last, assessment);
    this.#last = assessment;
    const depth = part.pools.reduce((sum, pool) => sum + pool.depthLamports, 0n);
    return {
      c10Sol: part.c10Sol,
      depthSol: ratioToNumber(depth, LAMPORTS_PER_SOL),
      price: priceOf(own),
      losses: losses ?? NO_LOSSES,
    };
  }
}

function marketOf(own: VirtualMarket, { pools, unpricedSol }: Strangers): Market {
  const bound = [poolOf("own", own), ...[...pools].map(([name, market]) => poolOf(name, market))];
  return {
    mint: MINT,
    token: {
      decimals: 6,
      supply: 2n ** 63n,
      mintAuthority: null,
      freezeAuthority: null,
      transferFee: null,
      transferHook: null,
      transferHookAuthority: null,
      permanentDelegate: null,
      pausable: null,
      startsFrozen: false,
      isNonTransferable: false,
    },
    pools: bound,
    hopPools: [],
    unpriced: unpricedSol > 0 ? [unpriced(unpricedSol)] : [],
    isSearchComplete: true,
    awaitsGraduation: false,
    slot: 1n,
    stateTimeMs: 1_790_000_000_000,
    nowMs: 1_790_000_000_000,
    historySeconds: 3_600,
    exactPctByVenue: new Map(),
  };
}

function poolOf(name: string, market: VirtualMarket): QuotablePool {
  const state = {
    mintA: MINT,
    mintB: WSOL,
    reserveA: BigInt(Math.round(market.base * BASE_SCALE)),
    reserveB: BigInt(Math.round(market.quote * 1e9)),
    feeBps: BigInt(Math.round(market.feePpm / 100)),
    isPaused: market.isPaused,
  };
  const address = namedAddress(name);
  return bindPool({
    venue: VENUE,
    address,
    state,
    baseMint: MINT,
    quoteMint: WSOL,
    clock: CLOCK,
    fast: null,
  });
}

function unpriced(sol: number): UnpricedPool {
  return {
    venue: "raydium-amm-v4",
    family: "raydium",
    kind: "amm",
    address: namedAddress("unpriced"),
    reason: "undecodable",
    detail: "pool",
    quoteHeld: BigInt(Math.round(sol * 1e9)),
    quoteMint: WSOL,
  };
}
