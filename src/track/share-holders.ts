import type { ChainSource } from "#src/chain/chain-source.ts";
import { createRequestLimiter } from "#src/chain/request-limiter.ts";
import type { PoolHolders } from "#src/measure/share-holders.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import type { FungibleShares, PositionShares } from "#src/venues/liquidity-shares.ts";
import { tokenAccountOwner } from "#src/venues/token/token-account.ts";
import { sumHolders } from "./sum-holders.ts";
import { largestPositions, sumPositions } from "./sum-positions.ts";

/** Shares change hands seldom: who holds them is read again after this. */
const KEPT_MS = 60_000;
/** And sooner where the pool's own count moved, for then somebody came or went; but not at each trade of a day. */
const KEPT_WHILE_COUNT_MOVES_MS = 5_000;
/** What could not be read is not asked for again at once. */
const FAILURE_KEPT_MS = 10_000;
/** A question waits no longer than this for one pool's holders. */
const READ_WITHIN_MS = 9_000;
/** Three reads of the node each; what tracking reads is not to wait behind them. */
const LIMITS = { maxActive: 2, maxWaiting: 200 };
const MOST_KEPT = 5_000;

/** A pool whose liquidity is divided in a way that can be read. */
export type SharedPool = {
  readonly pool: Address;
  readonly shares: FungibleShares | PositionShares;
};

export type ShareHoldersDeps = {
  readonly source: Pick<ChainSource, "findLargestAccounts" | "searchAccounts" | "readAccounts">;
  readonly nowMs: NowMs;
  /** Ends all reads. */
  readonly signal: AbortSignal;
};

type Reading = {
  readonly holders: PoolHolders;
  readonly issued: bigint | null;
  readonly atMs: number;
};

/** Who holds the shares of pools: read when somebody asks, and remembered for a minute. */
export class ShareHolders {
  readonly #deps: ShareHoldersDeps;
  readonly #limiter = createRequestLimiter(LIMITS);
  /** The longest remembered first. */
  readonly #readings = new Map<Address, Reading>();
  readonly #underWay = new Map<Address, Promise<PoolHolders>>();

  constructor(deps: ShareHoldersDeps) {
    this.#deps = deps;
  }

  /**
   * By pool. What the node does not tell is unknown, and no failure of this.
   *
   * @throws AppError overloaded where too many such questions wait
   */
  async of(pools: readonly SharedPool[]): Promise<ReadonlyMap<Address, PoolHolders>> {
    return new Map(
      await Promise.all(
        pools.map(async (shared) => [shared.pool, await this.#holdersOf(shared)] as const),
      ),
    );
  }

  #holdersOf(shared: SharedPool): PoolHolders | Promise<PoolHolders> {
    const remembered = this.#remembered(shared);
    if (remembered !== null) return remembered;
    const underWay = this.#underWay.get(shared.pool);
    if (underWay !== undefined) return underWay;
    const reading = this.#limiter
      .run(() => this.#read(shared), this.#deps.signal)
      .then((holders) => {
        this.#remember(shared, holders);
        return holders;
      })
      .finally(() => this.#underWay.delete(shared.pool));
    this.#underWay.set(shared.pool, reading);
    return reading;
  }

  #remembered({ pool, shares: { issued } }: SharedPool): PoolHolders | null {
    const reading = this.#readings.get(pool);
    if (reading === undefined) return null;
    const { holders, atMs } = reading;
    const keptMs =
      holders.kind === "unknown"
        ? FAILURE_KEPT_MS
        : reading.issued === issued
          ? KEPT_MS
          : KEPT_WHILE_COUNT_MOVES_MS;
    return this.#deps.nowMs() - atMs < keptMs ? holders : null;
  }

  #remember({ pool, shares: { issued } }: SharedPool, holders: PoolHolders): void {
    this.#readings.delete(pool);
    this.#readings.set(pool, { holders, issued, atMs: this.#deps.nowMs() });
    if (this.#readings.size <= MOST_KEPT) return;
    const [oldest] = this.#readings.keys();
    if (oldest !== undefined) this.#readings.delete(oldest);
  }

  async #read({ shares }: SharedPool): Promise<PoolHolders> {
    const signal = AbortSignal.any([this.#deps.signal, AbortSignal.timeout(READ_WITHIN_MS)]);
    try {
      return shares.kind === "fungible"
        ? await this.#readHolders(shares, signal)
        : await this.#readPositions(shares, signal);
    } catch (cause) {
      const isUnanswered = cause instanceof AppError || signal.aborted;
      if (!isUnanswered) throw cause;
      return { kind: "unknown", reason: "holders-not-read" };
    }
  }

  /** The list tells who, and the accounts how much: all of one slot, so that the parts add up. */
  async #readHolders({ mint, issued }: FungibleShares, signal: AbortSignal): Promise<PoolHolders> {
    const { source } = this.#deps;
    const largest = await source.findLargestAccounts(mint, signal);
    if (largest.kind === "refused") return { kind: "unknown", reason: "holders-not-read" };
    const listed = largest.addresses;
    const { accounts, slot } = await source.readAccounts([mint, ...listed], signal);
    const known = await this.#withOwners(accounts, listed, signal);
    return sumHolders({ mint, issued, listed, known, slot });
  }

  async #readPositions(shares: PositionShares, signal: AbortSignal): Promise<PoolHolders> {
    const { source } = this.#deps;
    const found = await source.searchAccounts(shares.filter, signal);
    if (found.kind === "refused") return { kind: "unknown", reason: "holders-not-read" };
    const positions = largestPositions(shares, found.accounts);
    if (positions === null) return { kind: "unknown", reason: "shares-do-not-add-up" };
    const { issued } = shares;
    const holders = positions.largest.map(({ holder }) => holder);
    const read = holders.length === 0 ? null : await source.readAccounts(holders, signal);
    const known = await this.#withOwners(read?.accounts ?? new Map(), holders, signal);
    return sumPositions({ issued, ...positions, known, slot: found.slot });
  }

  /** The accounts, and those of whoever owns the tokens in them. */
  async #withOwners(
    accounts: ReadonlyMap<Address, Account | null>,
    tokenAccounts: readonly Address[],
    signal: AbortSignal,
  ): Promise<AccountSet> {
    const owners = tokenAccounts.flatMap((address) => {
      const owner = tokenAccountOwner(accounts.get(address));
      return owner === null ? [] : [owner];
    });
    if (owners.length === 0) return accounts;
    const read = await this.#deps.source.readAccounts(owners, signal);
    return new Map([...read.accounts, ...accounts]);
  }
}
