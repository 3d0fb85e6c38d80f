import type {
  AccountUpdate,
  ChainSource,
  Following,
  ObservedTransaction,
  Subscription,
  TransactionSource,
} from "#src/chain/chain-source.ts";
import { BackgroundWork } from "#src/platform/background-work.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { moneyRank } from "#src/venues/shared/pool-search.ts";
import { decodeMint } from "#src/venues/shared/token/mint.ts";
import type { PoolOutline, Venue } from "#src/venues/venue.ts";
import { applyUpdate } from "../following/apply-update.ts";
import { addPool } from "../following/followed-pools.ts";
import { addToken, noteUnweighed, noteWeighedOut } from "../following/followed-tokens.ts";
import type { FollowedToken, LiveState } from "../following/live-state.ts";
import { isUnconfirmed } from "../following/unconfirmed.ts";
import { MAX_POOLS } from "../pools/choose-pools.ts";
import { addAll, gatherAccounts, type LoadedAccounts } from "../pools/gather-accounts.ts";
import { outlineOf, type PoolRef } from "../pools/open-pool.ts";
import { tokenNames } from "../pools/token-names.ts";
import { NamelessCurves } from "./nameless-curves.ts";

/** Tokens that are read together, and batches that are read at once. */
const BATCH = 20;
const MAX_AT_ONCE = 4;
/** Tokens that wait to be read. More at once means a start; the rest are delivered again later. */
const MAX_WAITING = 20_000;
/** Curves whose accounts do not contain the mint, kept until a transaction names it. */
const MAX_NAMELESS = 5_000;
/** Transactions read at once while only logs are received; those beyond are left out. */
const MAX_CREATIONS_READ = 2;
/** Logged by the token programs when a mint is made. */
const CREATION_LOG = "Instruction: InitializeMint";

/** Programs of which the source streams every account. */
export type StreamedPrograms = {
  readonly venues: readonly Venue<unknown>[];
  /** Gives the mint of curves whose accounts do not contain it; null: such curves are loaded on request only. */
  readonly transactions: TransactionSource | null;
};

export type NewTokenFeedDeps = StreamedPrograms & {
  readonly source: ChainSource;
  readonly state: LiveState;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  /** Called after each change of a followed account. */
  readonly onChange: () => void;
  readonly onNewToken: (token: FollowedToken) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** A pool of a token that waits to be read, with its newest account. */
type NewPool = { readonly ref: PoolRef; account: Account };
type UnreadToken = {
  readonly pools: Map<Address, NewPool>;
  /** More pools were named than are followed of a token. */
  hasMore: boolean;
};
/** The first update of a new account, and the newest if it is of another slot. */
type UnconfirmedPool = {
  readonly venue: Venue<unknown>;
  readonly update: AccountUpdate;
  later: AccountUpdate | null;
};
type NamelessCurve = { readonly venue: Venue<unknown>; readonly account: Account };

/** Subscribes to whole programs and tracks every token of theirs from its first pool on. */
export class NewTokenFeed {
  readonly #deps: NewTokenFeedDeps;
  readonly #subscriptions: readonly Subscription[];
  readonly #transactions: Following | null;
  readonly #waiting = new Map<Address, UnreadToken>();
  readonly #nameless = new NamelessCurves<NamelessCurve>(MAX_NAMELESS);
  /** New accounts of slots that are not confirmed. */
  readonly #unconfirmed = new BoundedMap<Address, UnconfirmedPool>(MAX_WAITING);
  readonly #reads: BackgroundWork;
  #creations = 0;

  constructor(deps: NewTokenFeedDeps) {
    this.#deps = deps;
    this.#reads = new BackgroundWork(deps.onFailure);
    this.#subscriptions = deps.venues.map((venue) => {
      const filter = { programId: venue.programId, dataSize: null, memcmp: [] };
      return deps.source.followProgram(filter, (update) => this.#consider(venue, update));
    });
    this.#transactions =
      deps.transactions?.followTransactions({
        onTransaction: (transaction) => this.#assignMint(transaction),
        // A missed mint is named by its next trade.
        onGap: () => {},
        named: this.#nameless,
      }) ?? null;
    // Transactions are half of all messages: only those of curves are needed, whose accounts may lack the mint.
    const curves = deps.venues.filter(({ kind }) => kind === "curve");
    this.#transactions?.add(curves.map(({ programId }) => programId));
  }

  /** Reads the accounts of tokens seen since the last call. */
  pump(): void {
    this.#considerConfirmed();
    while (this.#waiting.size > 0 && this.#reads.size < MAX_AT_ONCE) {
      const batch = [...this.#waiting].slice(0, BATCH);
      for (const [mint] of batch) this.#waiting.delete(mint);
      this.#reads.run("read in new tokens", this.#load(batch));
    }
  }

  idle(): Promise<void> {
    return this.#reads.idle();
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.#subscriptions.map((subscription) => subscription.close()),
      this.#transactions?.close(),
      this.idle(),
    ]);
  }

  #consider(venue: Venue<unknown>, update: AccountUpdate): void {
    const { state, clock, onChange } = this.#deps;
    const { address, account } = update;
    if (state.accounts.has(address)) {
      applyUpdate(state, update, clock.nowMs());
      onChange();
      return;
    }
    if (account === null || account.owner !== venue.programId) return;
    if (state.unconfirmed !== null && isUnconfirmed(state.unconfirmed, update.slot)) {
      this.#deferUntilConfirmed(venue, update);
      return;
    }
    const known = withAccount(state.known, address, account);
    const outline = outlineOf({ venue, address }, known);
    if (outline === null) {
      // A curve's program has other accounts too. They have no outline even with a mint; any mint shows that.
      if (venue.kind === "curve" && outlineOf({ venue, address, mint: WSOL }, known) !== null)
        this.#nameless.set(address, { venue, account });
      return;
    }
    for (const mint of this.#soldMints(venue, outline)) {
      this.#addPool({ venue, address, mint, isReserved: false }, account);
    }
  }

  /** A new account of a slot that can be dropped: its other accounts are only read confirmed. */
  #deferUntilConfirmed(venue: Venue<unknown>, update: AccountUpdate): void {
    const { address } = update;
    const known = this.#unconfirmed.get(address);
    if (known === undefined) this.#unconfirmed.set(address, { venue, update, later: null });
    else if (known.update.slot !== update.slot) known.later = update;
  }

  #considerConfirmed(): void {
    const { unconfirmed } = this.#deps.state;
    if (unconfirmed === null) return;
    for (const [address, { venue, update, later }] of this.#unconfirmed) {
      const isDropped = unconfirmed.dropped.has(update.slot);
      if (!isDropped && isUnconfirmed(unconfirmed, update.slot)) continue;
      this.#unconfirmed.delete(address);
      const kept = isDropped ? later : update;
      if (kept !== null) this.#consider(venue, kept);
    }
  }

  /** A curve sells its coin; of a pair without SOL or a stable, the tokens that are tracked already. */
  #soldMints({ kind }: Venue<unknown>, outline: PoolOutline): readonly Address[] {
    const mint = soldMint(outline);
    if (mint !== null) return [mint];
    const { mintA, mintB } = outline;
    if (kind === "curve") return [mintA];
    return [mintA, mintB].filter((tracked) => this.#deps.state.tokens.has(tracked));
  }

  #addPool(ref: PoolRef, account: Account): void {
    const { state, clock } = this.#deps;
    const token = state.tokens.get(ref.mint);
    if (token !== undefined) {
      if (token.group.pools.has(ref.address)) return;
      if (noteWeighedOut(token, ref.address, clock.nowMs())) return;
      if (token.group.pools.size >= MAX_POOLS) {
        noteUnweighed(token, clock.nowMs());
        return;
      }
      addPool(state, token.group, ref, new Map([[ref.address, account]]));
      return;
    }
    this.#addWaiting(ref, account);
  }

  /** Keeps one account of each pool: a token whose read hangs may trade thousands of times meanwhile. */
  #addWaiting(ref: PoolRef, account: Account): void {
    const waiting = this.#waiting.get(ref.mint);
    if (waiting === undefined) {
      if (this.#waiting.size >= MAX_WAITING) return;
      const pools = new Map([[ref.address, { ref, account }]]);
      this.#waiting.set(ref.mint, { pools, hasMore: false });
      return;
    }
    const kept = waiting.pools.get(ref.address);
    if (kept !== undefined) {
      if (account.slot >= kept.account.slot) kept.account = account;
    } else if (waiting.pools.size < MAX_POOLS) waiting.pools.set(ref.address, { ref, account });
    else waiting.hasMore = true;
  }

  /** A trade contains the curve and its mint: the mint is the account from which the curve is derived. */
  #assignMint({ instructions, logs, signature }: ObservedTransaction): void {
    if (instructions === null && logs.some((line) => line.includes(CREATION_LOG)))
      this.#readCreation(signature);
    for (const { accounts } of instructions ?? []) {
      const curve = accounts.find((address) => this.#nameless.has(address));
      const kept = curve === undefined ? undefined : this.#nameless.get(curve);
      if (curve === undefined || kept === undefined) continue;
      const { venue, account } = kept;
      const mint = accounts.find((address) => venue.search(address, null).derived.includes(curve));
      if (mint === undefined) continue;
      this.#nameless.delete(curve);
      this.#addPool({ venue, address: curve, mint, isReserved: true }, account);
    }
  }

  /** Over a WebSocket transactions come without their accounts. */
  #readCreation(signature: string): void {
    const { transactions, signal } = this.#deps;
    if (transactions === null || this.#creations >= MAX_CREATIONS_READ) return;
    this.#creations++;
    const read = transactions
      .readTransaction(signature, signal)
      .then((transaction) => {
        if (transaction !== null && transaction.instructions !== null)
          this.#assignMint(transaction);
      })
      .finally(() => this.#creations--);
    this.#reads.run("read the creation of a token", read);
  }

  async #load(batch: readonly (readonly [Address, UnreadToken])[]): Promise<void> {
    const { source, state, clock, signal, onNewToken } = this.#deps;
    const pools = batch.flatMap(([, token]) => [...token.pools.values()]);
    const loaded: LoadedAccounts = new Map(pools.map(({ ref, account }) => [ref.address, account]));
    addAll(
      loaded,
      await source.readAccounts(
        batch.map(([mint]) => mint),
        signal,
      ),
    );
    const refs = pools.map(({ ref }) => ref);
    await gatherAccounts(source, refs, loaded, { signal });
    for (const [mint, { pools: found, hasMore }] of batch) {
      const mintFacts = decodeMint(loaded.get(mint));
      if (mintFacts === null) continue;
      // Another batch may have brought it meanwhile, with another pool.
      if (state.tokens.has(mint)) {
        for (const { ref, account } of found.values()) this.#addPool(ref, account);
        continue;
      }
      const token = addToken(state, {
        mint,
        mintFacts,
        names: tokenNames({ address: mint, facts: mintFacts }, null),
        found: {
          pools: Array.from(found.values(), ({ ref }) => ref),
          vacant: [],
          isDerivedOnly: true,
          leftOut: [],
          isSearchComplete: true,
          searchedSlot: null,
          refusals: [],
        },
        loaded,
        isSearched: false,
        nowMs: clock.nowMs(),
      });
      if (hasMore) noteUnweighed(token, clock.nowMs());
      onNewToken(token);
    }
  }
}

function withAccount(known: AccountSet, own: Address, account: Account): AccountSet {
  return { get: (address) => (address === own ? account : known.get(address)) };
}

/** The side that is neither SOL nor a stable; of a stable and SOL, the stable; null if neither side is SOL or a stable. */
function soldMint({ mintA, mintB }: PoolOutline): Address | null {
  const [rankA, rankB] = [moneyRank(mintA), moneyRank(mintB)];
  if (rankA === 0 && rankB === 0) return null;
  return rankA < rankB ? mintA : mintB;
}
