import { type Address, compareAddressBytes } from "#src/units/address.ts";
import { maxBigint } from "#src/units/integer.ts";
import type { QuotablePool, Withdrawal } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { assess } from "../assess.ts";
import type { Assessment } from "../assessment.ts";
import type { Market } from "../market/market.ts";
import { inLamports, type PricedMarket, priceMarket } from "../market/priced-market.ts";
import { depthTogether, inLamportsThrough } from "../market/route.ts";
import type {
  HoldersUnknownReason,
  KnownHolders,
  OwnerStanding,
  PoolHolders,
} from "./share-holders.ts";

const WHOLE_BPS = 10_000;

/** One pool, and who can take its liquidity out. */
export type StressedPool = {
  readonly venue: VenueId;
  readonly address: Address;
  /** Lamports that selling can reach here now; null where that is not known. */
  readonly depthLamports: bigint | null;
  readonly holders: PoolHolders;
  /** Lamports that selling could reach here and that the withdrawal takes along; null: not known. */
  readonly leavingLamports: bigint | null;
};

/** The largest withdrawal that one owner can make. */
export type LargestWithdrawal = {
  readonly owner: Address;
  readonly standing: OwnerStanding;
  /** What of the depth leaves with it, stables at spot. */
  readonly lamports: bigint;
};

/** A market's exits now, and after the largest withdrawal that is known to be possible. */
export type StressedExit = {
  readonly now: Assessment;
  /** Null where the market is blocked, and where it is known of no pool who can withdraw. */
  readonly after: Assessment | null;
  /** Null if no owner is known who could. */
  readonly withdrawal: LargestWithdrawal | null;
  readonly pools: readonly StressedPool[];
};

/**
 * The exits of a market after the owner whose shares are worth most has burned all of them, in every
 * pool of it where they are known. Pools of which it is not known who can withdraw stay as they are:
 * `after` is then no bound, and `pools` says which. Ties go to the lower address. Pure.
 *
 * Worth is the quote that would leave, for no more than the hops behind it pay.
 * A pool that can't be sold into weighs nothing, regardless of its owner.
 */
export function stress(market: Market, holdersOf: ReadonlyMap<Address, PoolHolders>): StressedExit {
  const priced = priceMarket(market);
  const judged = market.pools.map((pool) => judgePool(pool, holdersOf.get(pool.address)));
  const largest = largestOf(priced, judged);
  const left = largest?.poolsLeft ?? new Map<Address, QuotablePool>();
  const now = assess(market);
  const isKnownAnywhere = judged.some(({ holders }) => holders.kind !== "unknown");
  const pools = market.pools.map((pool) => left.get(pool.address) ?? pool);
  return {
    now,
    after: now.measurement === null || !isKnownAnywhere ? null : assess({ ...market, pools }),
    withdrawal: largest === null ? null : withdrawalOf(priced, largest),
    pools: [
      ...judged.map((each) => stressedPool(priced, each, left.get(each.pool.address))),
      ...unpricedPools(market),
    ],
  };
}

function withdrawalOf(
  priced: PricedMarket,
  { owner, standing, poolsLeft }: Candidate,
): LargestWithdrawal {
  return { owner, standing, lamports: leavingWith(priced, poolsLeft) };
}

type Judged = {
  readonly pool: QuotablePool;
  readonly holders: PoolHolders;
  readonly withdrawals: readonly OwnerWithdrawal[];
};

/** The pool as one owner would leave it. */
type OwnerWithdrawal = {
  readonly owner: Address;
  readonly standing: OwnerStanding;
  readonly left: QuotablePool;
};

/** Who holds shares of a pool that the program could not pay out is not known to leave them there. */
function judgePool(pool: QuotablePool, holders: PoolHolders | undefined): Judged {
  if (holders === undefined) return unknownOf(pool, "holders-not-read");
  if (holders.kind !== "known") return { pool, holders, withdrawals: [] };
  const withdrawals: OwnerWithdrawal[] = [];
  for (const { owner, standing, shares } of holders.owners) {
    const left = pool.withdraw(withdrawalBy(owner, shares, holders));
    if (left === null) return unknownOf(pool, "withdrawal-not-modelled");
    withdrawals.push({ owner, standing, left });
  }
  return { pool, holders, withdrawals };
}

function withdrawalBy(
  owner: Address,
  shares: bigint,
  { issued, ranged }: KnownHolders,
): Withdrawal {
  if (ranged === undefined) return { kind: "share", shares, issued };
  const positions = ranged.byOwner.get(owner) ?? [];
  return { kind: "positions", positions, totals: ranged.totals };
}

function unknownOf(pool: QuotablePool, reason: HoldersUnknownReason): Judged {
  return { pool, holders: { kind: "unknown", reason }, withdrawals: [] };
}

type Candidate = Omit<LargestWithdrawal, "lamports"> & {
  /** By address: the pools as the withdrawal leaves them. */
  readonly poolsLeft: ReadonlyMap<Address, QuotablePool>;
};

function largestOf(priced: PricedMarket, judged: readonly Judged[]): Candidate | null {
  const candidates = new Map<Address, Candidate>();
  for (const { pool, withdrawals } of judged) {
    for (const { owner, standing, left } of withdrawals) {
      const others = candidates.get(owner)?.poolsLeft ?? [];
      const poolsLeft = new Map([...others, [pool.address, left] as const]);
      candidates.set(owner, { owner, standing, poolsLeft });
    }
  }
  let largest: Weighed | null = null;
  for (const candidate of candidates.values()) {
    const weighed: Weighed = { ...candidate, worth: worthWith(priced, candidate.poolsLeft) };
    if (weighed.worth > 0n && (largest === null || isBefore(weighed, largest))) largest = weighed;
  }
  return largest;
}

type Weighed = Candidate & { readonly worth: bigint };

function isBefore(a: Weighed, b: Weighed): boolean {
  if (a.worth !== b.worth) return a.worth > b.worth;
  return compareAddressBytes(a.owner, b.owner) < 0;
}

/**
 * Lamports of quote that leave with these pools, for no more than the hops behind it pay. Not what the depth falls by:
 * where a hop pays less than its pools hold, that is nothing, and larger sales lose more all the same.
 */
function worthWith(priced: PricedMarket, poolsLeft: Candidate["poolsLeft"]): bigint {
  const leaving = priced.routes.flatMap(({ pool, hops, spotPrice }) => {
    const left = spotPrice === null ? undefined : poolsLeft.get(pool.address);
    if (left === undefined) return [];
    const amount = maxBigint(0n, depthOf(pool) - depthOf(left));
    return [{ hops, depthLamports: inLamportsThrough(hops, amount) }];
  });
  return depthTogether(leaving);
}

/** Lamports of the market's depth that are gone once these pools are left so. */
function leavingWith(priced: PricedMarket, poolsLeft: Candidate["poolsLeft"]): bigint {
  const after = priced.routes.map((route) => {
    const left = route.spotPrice === null ? undefined : poolsLeft.get(route.pool.address);
    if (left === undefined) return route;
    return { hops: route.hops, depthLamports: inLamportsThrough(route.hops, depthOf(left)) };
  });
  return depthTogether(priced.routes) - depthTogether(after);
}

/** Lamports of depth that are gone; 0 in a pool that can't be sold into, null where there is no way into SOL. */
function leavingOf(priced: PricedMarket, before: QuotablePool, after: QuotablePool): bigint | null {
  const [held, left] = [before, after].map((pool) =>
    inLamports(priced, pool.quoteMint, depthOf(pool)),
  );
  if (held == null || left == null) return null;
  return maxBigint(0n, held - left);
}

function depthOf(pool: QuotablePool): bigint {
  return pool.status === "open" ? pool.reachable(WHOLE_BPS) : 0n;
}

function stressedPool(
  priced: PricedMarket,
  { pool, holders }: Judged,
  left: QuotablePool | undefined,
): StressedPool {
  const isUnknown = holders.kind === "unknown";
  return {
    venue: pool.venue,
    address: pool.address,
    depthLamports: inLamports(priced, pool.quoteMint, depthOf(pool)),
    holders: withoutPositions(holders),
    leavingLamports: isUnknown ? null : leavingOf(priced, pool, left ?? pool),
  };
}

/** What an answer is made of: the positions themselves may be thousands. */
function withoutPositions(holders: PoolHolders): PoolHolders {
  if (holders.kind !== "known") return holders;
  const { ranged: _ranged, ...summed } = holders;
  return summed;
}

function unpricedPools(market: Market): readonly StressedPool[] {
  return market.unpriced.map(({ venue, address }) => ({
    venue,
    address,
    depthLamports: null,
    holders: { kind: "unknown", reason: "not-priced" },
    leavingLamports: null,
  }));
}
