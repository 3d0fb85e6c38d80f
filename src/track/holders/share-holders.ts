import type { ChainSource } from "#src/chain/chain-source.ts";
import type { HoldersUnknownReason, PoolHolders } from "#src/measure/questions/share-holders.ts";
import { AppError } from "#src/platform/app-error.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import { SingleFlight } from "#src/platform/single-flight.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import { toNumber } from "#src/units/to-number.ts";
import type { FungibleShares, PositionShares, RangedShares } from "#src/venues/liquidity-shares.ts";
import type { RangedPosition } from "#src/venues/quotable-pool.ts";
import type { Clock } from "#src/venues/venue.ts";
import type { LocksRead } from "./lock-claims.ts";
import { readOwners, readVestings } from "./lock-reads.ts";
import { sumHolders } from "./sum-holders.ts";
import { largestPositions, sumPositions } from "./sum-positions.ts";
import { largestRanged, sumRanged } from "./sum-ranged.ts";

/** Shares are transferred rarely: holders are read again after this time. */
const MAX_AGE_MS = 60_000;
/**
 * Holders are read again after this time if the pool's share count changed, because a holder deposited or
 * withdrew, or if a lock has opened.
 */
const MAX_AGE_AFTER_CHANGE_MS = 5_000;
/** A failed read is not repeated before this time. */
const FAILURE_MAX_AGE_MS = 10_000;
/** Time limit for reading the holders of one pool. */
const READ_TIMEOUT_MS = 9_000;
/**
 * A task calls the node three times and, for locks and tokens of positions, up to twelve times more; the
 * reads of tracking must not wait behind them.
 */
const LIMITS = {
  maxActive: 2,
  maxWaiting: 200,
  overloadedMessage: "Too many reads of the chain are waiting; try again in a moment.",
};
const MAX_POOLS_KEPT = 5_000;

/** A pool whose liquidity shares can be read. */
export type SharedPool = {
  readonly pool: Address;
  /** What sellers take out of it. */
  readonly quoteMint: Address;
  readonly shares: FungibleShares | PositionShares | RangedShares;
};

export type ShareHoldersDeps = {
  readonly source: Pick<ChainSource, "findLargestAccounts" | "searchAccounts" | "readAccounts">;
  readonly clock: WallClock;
  /** Ends all reads. */
  readonly signal: AbortSignal;
};

type HoldersReading = {
  readonly holders: PoolHolders;
  readonly issued: bigint | null;
  readonly atMs: number;
  /** Time from the read until the first lock opens; null: no date is known. */
  readonly opensInMs: number | null;
};

type ReadHolders = {
  readonly holders: PoolHolders;
  /** The chain's clock at which locks were judged; null: not read. */
  readonly clock: Clock | null;
};

/** Who holds the shares of pools: read on request and cached for a minute. */
export class ShareHolders {
  readonly #deps: ShareHoldersDeps;
  readonly #queue = new TaskQueue(LIMITS);
  readonly #readings = new BoundedMap<Address, HoldersReading>(MAX_POOLS_KEPT);
  readonly #reads = new SingleFlight<Address, PoolHolders>();

  constructor(deps: ShareHoldersDeps) {
    this.#deps = deps;
  }

  /**
   * The holders by pool. Holders that the node does not return are unknown; that is not a failure.
   *
   * @throws AppError overloaded if too many reads wait
   */
  async of(pools: readonly SharedPool[]): Promise<ReadonlyMap<Address, PoolHolders>> {
    return new Map(
      await Promise.all(
        pools.map(async (shared) => [shared.pool, await this.#holdersOf(shared)] as const),
      ),
    );
  }

  #holdersOf(shared: SharedPool): PoolHolders | Promise<PoolHolders> {
    const { pool, shares } = shared;
    const cached = this.#cached(shared);
    if (cached !== null) return cached;
    return this.#reads.run(pool, async () => {
      const read = await this.#queue.run(() => this.#read(shared), this.#deps.signal);
      const { holders } = read;
      const [atMs, opens] = [this.#deps.clock.nowMs(), opensInMs(read)];
      this.#readings.set(pool, { holders, issued: shares.issued, atMs, opensInMs: opens });
      return holders;
    });
  }

  #cached({ pool, shares: { issued } }: SharedPool): PoolHolders | null {
    const reading = this.#readings.get(pool);
    if (reading === undefined) return null;
    const { holders, atMs, opensInMs } = reading;
    const ageMs = this.#deps.clock.nowMs() - atMs;
    const isChanged = reading.issued !== issued || (opensInMs !== null && ageMs >= opensInMs);
    const maxAgeMs =
      holders.kind === "unknown"
        ? FAILURE_MAX_AGE_MS
        : isChanged
          ? MAX_AGE_AFTER_CHANGE_MS
          : MAX_AGE_MS;
    return ageMs < maxAgeMs ? holders : null;
  }

  async #read({ shares, quoteMint }: SharedPool): Promise<ReadHolders> {
    const signal = AbortSignal.any([this.#deps.signal, AbortSignal.timeout(READ_TIMEOUT_MS)]);
    try {
      if (shares.kind === "fungible") return await this.#readHolders(shares, signal);
      if (shares.kind === "positions") return await this.#readPositions(shares, signal);
      return await this.#readRanged(shares, quoteMint, signal);
    } catch (cause) {
      const isUnanswered = cause instanceof AppError || signal.aborted;
      if (!isUnanswered) throw cause;
      return unknown("holders-not-read");
    }
  }

  /** The list names the accounts, the accounts hold the amounts: all of one slot, so that they add up. */
  async #readHolders({ mint, issued }: FungibleShares, signal: AbortSignal): Promise<ReadHolders> {
    const { source } = this.#deps;
    const largest = await source.findLargestAccounts(mint, signal);
    if (largest.kind === "refused") return unknown("holders-not-read");
    const listed = largest.addresses;
    const { accounts, slot } = await source.readAccounts([mint, ...listed], signal);
    const read = await readOwners(source, { accounts, tokenAccounts: listed }, signal);
    return { holders: sumHolders({ mint, issued, listed, read, slot }), clock: read.clock };
  }

  async #readPositions(shares: PositionShares, signal: AbortSignal): Promise<ReadHolders> {
    const { source } = this.#deps;
    const found = await source.searchAccounts(shares.filter, signal);
    if (found.kind === "refused") return unknown("holders-not-read");
    const positions = largestPositions(shares, found.accounts);
    if (positions === null) return unknown("shares-do-not-add-up");
    const { issued } = shares;
    const holders = positions.largest.map(({ holder }) => holder);
    const [vestings, read] = await Promise.all([
      readVestings(source, positions.largest, signal),
      this.#readTokens({ holders, others: [] }, signal),
    ]);
    const summed = sumPositions({ issued, ...positions, vestings, read, slot: found.slot });
    return { holders: summed, clock: read.clock };
  }

  async #readRanged(
    shares: RangedShares,
    quoteMint: Address,
    signal: AbortSignal,
  ): Promise<ReadHolders> {
    const { source } = this.#deps;
    const found = await source.searchAccounts(shares.filter, signal);
    if (found.kind === "refused") return unknown("holders-not-read");
    const { slot } = found;
    const all: RangedPosition[] = [];
    for (const account of found.accounts.values()) {
      const position = shares.decode(account);
      if (position === null) return unknown("shares-do-not-add-up");
      all.push(position);
    }
    const totals = shares.addUp(all);
    if (totals === null) return unknown("shares-do-not-add-up");
    const largest = largestRanged(all, quoteMint);
    const holderOf = await this.#holdersOfTokens(largest, signal);
    if (holderOf === null) return unknown("holders-not-read");
    const others = largest.flatMap(({ owner }) => (owner.kind === "address" ? owner.address : []));
    const read = await this.#readTokens({ holders: [...holderOf.values()], others }, signal);
    const holders = sumRanged({ quoteMint, all, totals, largest, holderOf, read, slot });
    return { holders, clock: read.clock };
  }

  /** The accounts that hold the positions' tokens, with their owners, and the owners without such an account. */
  async #readTokens(
    {
      holders,
      others,
    }: { readonly holders: readonly Address[]; readonly others: readonly Address[] },
    signal: AbortSignal,
  ): Promise<LocksRead> {
    const { source } = this.#deps;
    const read = holders.length === 0 ? null : await source.readAccounts(holders, signal);
    const accounts = read?.accounts ?? new Map<Address, null>();
    return await readOwners(source, { accounts, tokenAccounts: holders, others }, signal);
  }

  /** The account that holds each position's token; null where the node refuses to list it. */
  async #holdersOfTokens(
    positions: readonly RangedPosition[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, Address> | null> {
    const tokens = positions.flatMap(({ owner }) =>
      owner.kind === "token" ? [owner.address] : [],
    );
    const holderOf = new Map<Address, Address>();
    for (const token of new Set(tokens)) {
      const listed = await this.#deps.source.findLargestAccounts(token, signal);
      const [holder] = listed.kind === "refused" ? [] : listed.addresses;
      if (holder === undefined) return null;
      holderOf.set(token, holder);
    }
    return holderOf;
  }
}

function unknown(reason: HoldersUnknownReason): ReadHolders {
  return { holders: { kind: "unknown", reason }, clock: null };
}

/** Milliseconds until the first lock opens, which changes who can withdraw; null: no date is known. */
function opensInMs({ holders, clock }: ReadHolders): number | null {
  if (holders.kind !== "known" || clock === null) return null;
  const dates = holders.locks.flatMap(({ terms }) => (terms.kind === "dated" ? terms.next.at : []));
  const [first] = dates.toSorted(compareBigints);
  return first === undefined ? null : 1_000 * toNumber(first - clock.unixTimestamp);
}
