import type {
  AccountUpdate,
  ChainSource,
  Following,
  ObservedTransaction,
  Subscription,
  TransactionSource,
} from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import { WSOL } from "#src/units/known-addresses.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { decodeMint } from "#src/venues/token/mint.ts";
import type { PoolOutline, Venue } from "#src/venues/venue.ts";
import { applyUpdate } from "./apply-update.ts";
import { MAX_POOLS } from "./choose-pools.ts";
import { addPool } from "./followed-pools.ts";
import { addToken } from "./followed-tokens.ts";
import { addAll, gatherAccounts, type LoadedAccounts } from "./gather-accounts.ts";
import type { FollowedToken, LiveState } from "./live-state.ts";
import type { PoolRef } from "./open-pool.ts";
import { isStable } from "./quote-mints.ts";
import { tokenNames } from "./token-names.ts";

/** Tokens that are read in together, and such batches at a time. */
const BATCH = 20;
const MAX_AT_ONCE = 4;
/** Tokens that wait to be read in; more than that at once is a start, and they come again. */
const MAX_WAITING = 20_000;
/** Pools that name no coin, kept until a transaction does. */
const MAX_NAMELESS = 5_000;

export type BirthWatchDeps = {
  readonly source: ChainSource;
  /** Tells which coin a curve is for, where its own bytes do not; null: such curves wait to be asked for. */
  readonly transactions: TransactionSource | null;
  readonly venues: readonly Venue<unknown>[];
  readonly state: LiveState;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  readonly onBorn: (token: FollowedToken) => void;
  readonly onFailure: (what: string, cause: unknown) => void;
};

type Birth = { readonly ref: PoolRef; readonly account: Account };

/** Follows whole programs, and every token of theirs from the first pool that is seen. */
export class BirthWatch {
  readonly #deps: BirthWatchDeps;
  readonly #subscriptions: readonly Subscription[];
  readonly #transactions: Following | null;
  readonly #waiting = new Map<Address, Birth[]>();
  readonly #nameless = new Map<Address, { readonly venue: Venue<unknown>; account: Account }>();
  readonly #running = new Set<Promise<void>>();

  constructor(deps: BirthWatchDeps) {
    this.#deps = deps;
    this.#subscriptions = deps.venues.map((venue) => {
      const filter = { programId: venue.programId, dataSize: null, memcmp: [] };
      return deps.source.followProgram(filter, (update) => this.#consider(venue, update));
    });
    this.#transactions =
      deps.transactions?.followTransactions({
        onTransaction: (transaction) => this.#name(transaction),
        // A coin that was missed is named by its next trade.
        onGap: () => {},
      }) ?? null;
    this.#transactions?.add(deps.venues.map(({ programId }) => programId));
  }

  /** Reads in what was born since. */
  pump(): void {
    while (this.#waiting.size > 0 && this.#running.size < MAX_AT_ONCE) {
      const batch = [...this.#waiting].slice(0, BATCH);
      for (const [mint] of batch) this.#waiting.delete(mint);
      const done = this.#load(batch)
        .catch((cause: unknown) => this.#deps.onFailure("read in new tokens", cause))
        .finally(() => this.#running.delete(done));
      this.#running.add(done);
    }
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async close(): Promise<void> {
    await Promise.all([
      ...this.#subscriptions.map((subscription) => subscription.close()),
      this.#transactions?.close(),
      this.idle(),
    ]);
  }

  #consider(venue: Venue<unknown>, update: AccountUpdate): void {
    const { state, nowMs } = this.#deps;
    const { address, account } = update;
    if (state.accounts.has(address)) {
      applyUpdate(state, update, nowMs());
      return;
    }
    if (account === null || account.owner !== venue.programId) return;
    const known = withAccount(state.known, address, account);
    const outline = outlineWithoutMint(venue, address, known);
    if (outline === null) {
      if (venue.kind === "curve") this.#keepNameless(venue, address, account);
      return;
    }
    const mint = soldMint(outline);
    if (mint !== null) this.#bear({ venue, address, mint, isDerived: false }, account);
  }

  #bear(ref: PoolRef, account: Account): void {
    const { state } = this.#deps;
    const token = state.tokens.get(ref.mint);
    if (token !== undefined) {
      if (token.group.pools.size >= MAX_POOLS) return;
      addPool(state, token.group, ref, new Map([[ref.address, account]]));
      return;
    }
    const waiting = this.#waiting.get(ref.mint);
    if (waiting !== undefined) waiting.push({ ref, account });
    else if (this.#waiting.size < MAX_WAITING) this.#waiting.set(ref.mint, [{ ref, account }]);
  }

  #keepNameless(venue: Venue<unknown>, address: Address, account: Account): void {
    if (this.#nameless.size >= MAX_NAMELESS) {
      const [oldest] = this.#nameless.keys();
      if (oldest !== undefined) this.#nameless.delete(oldest);
    }
    this.#nameless.set(address, { venue, account });
  }

  /** A trade names its curve and its coin: the coin is the account from which the curve is derived. */
  #name({ instructions }: ObservedTransaction): void {
    for (const { accounts } of instructions ?? []) {
      const curve = accounts.find((address) => this.#nameless.has(address));
      const kept = curve === undefined ? undefined : this.#nameless.get(curve);
      if (curve === undefined || kept === undefined) continue;
      const { venue, account } = kept;
      const mint = accounts.find((address) => venue.search(address, null).derived.includes(curve));
      if (mint === undefined) continue;
      this.#nameless.delete(curve);
      this.#bear({ venue, address: curve, mint, isDerived: true }, account);
    }
  }

  async #load(batch: readonly (readonly [Address, readonly Birth[]])[]): Promise<void> {
    const { source, state, nowMs, signal, onBorn } = this.#deps;
    const births = batch.flatMap(([, born]) => born);
    const loaded: LoadedAccounts = new Map(
      births.map(({ ref, account }) => [ref.address, account]),
    );
    addAll(
      loaded,
      await source.readAccounts(
        batch.map(([mint]) => mint),
        signal,
      ),
    );
    const refs = births.map(({ ref }) => ref);
    await gatherAccounts(source, refs, loaded, { signal });
    for (const [mint, born] of batch) {
      const mintFacts = decodeMint(loaded.get(mint));
      if (mintFacts === null) continue;
      const token = addToken(state, {
        mint,
        mintFacts,
        names: tokenNames({ address: mint, facts: mintFacts }, null),
        found: {
          pools: born.map(({ ref }) => ref),
          vacant: [],
          filters: [],
          leftOut: null,
          isSearchComplete: true,
          refusals: [],
        },
        loaded,
        isSearched: false,
        nowMs: nowMs(),
      });
      onBorn(token);
    }
  }
}

function withAccount(known: AccountSet, own: Address, account: Account): AccountSet {
  return { get: (address) => (address === own ? account : known.get(address)) };
}

/** The pair as the pool's own bytes name it; null where they do not. */
function outlineWithoutMint(
  venue: Venue<unknown>,
  pool: Address,
  known: AccountSet,
): PoolOutline | null {
  try {
    return venue.outline(pool, known);
  } catch {
    // By contract it never throws; where it does, the account is no pool to us.
    return null;
  }
}

/** The side that is no money; of a stable and SOL, the stable; null where neither side is money. */
function soldMint({ mintA, mintB }: PoolOutline): Address | null {
  const [rankA, rankB] = [moneyRank(mintA), moneyRank(mintB)];
  if (rankA === 0 && rankB === 0) return null;
  return rankA < rankB ? mintA : mintB;
}

function moneyRank(mint: Address): number {
  if (mint === WSOL) return 2;
  return isStable(mint) ? 1 : 0;
}
