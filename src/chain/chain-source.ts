import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";

/** An account as it stands from `slot` on; null: it does not exist (any more). */
export type AccountUpdate = {
  readonly address: Address;
  readonly account: Account | null;
  readonly slot: bigint;
};

/**
 * Accounts read together. Each account carries the slot that it was served at; `slot` is the lowest
 * of them, so all of this is known to hold at it or later. An address that the node left out, or
 * whose entry made no sense, is absent from the map: unknown, not null.
 */
export type AccountsRead = {
  readonly slot: bigint;
  readonly accounts: ReadonlyMap<Address, Account | null>;
};

export type SearchResult =
  | {
      readonly kind: "found";
      readonly slot: bigint;
      readonly accounts: ReadonlyMap<Address, Account>;
    }
  /** The provider does not answer such queries, or gave up: what exists is unknown. */
  | { readonly kind: "refused"; readonly reason: string };

/** The accounts that hold most of a mint's tokens, as a node lists them. */
export type LargestAccounts =
  | {
      readonly kind: "found";
      /** The largest first, and never more than `LARGEST_LISTED`; fewer: that is all there are. */
      readonly addresses: readonly Address[];
    }
  /** The provider does not answer such queries, or knows no such mint: who holds it is unknown. */
  | { readonly kind: "refused"; readonly reason: string };

/** How many accounts a node lists of one mint at the most. */
export const LARGEST_LISTED = 20;

/** The newest slot a node has told of, with the chain's own clock at it. */
export type ChainHead = { readonly clock: Clock; readonly receivedAtMs: number };

export type FollowEvents = {
  /** Late, doubled and out of order: apply by slot. */
  readonly onUpdate: (update: AccountUpdate) => void;
  /** The link was down and stands again: updates may have been lost since `sinceSlot` (null: unknown). Read everything again. */
  readonly onGap: (sinceSlot: bigint | null) => void;
  /** Addresses just added are followed from now on: what was read of them before may be out of date. */
  readonly onFollowed?: (addresses: readonly Address[]) => void;
  /** A slot that the node tells of; it may go back after a reconnect. */
  readonly onSlot: (slot: bigint) => void;
};

/** Something that runs until it is closed. No event comes after `close` has returned. */
export interface Subscription {
  close(): Promise<void>;
}

/** A subscription whose set of addresses can change while it runs. */
export interface Following extends Subscription {
  add(addresses: readonly Address[]): void;
  remove(addresses: readonly Address[]): void;
}

/** One instruction of a transaction, with where it stood. */
export type ObservedInstruction = {
  readonly programId: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
  /** Which top-level instruction this is, or belongs to. */
  readonly outerIndex: number;
  readonly isInner: boolean;
};

/** A transaction that went through, with what its programs left behind. */
export type ObservedTransaction = {
  /** Base58. */
  readonly signature: string;
  readonly slot: bigint;
  /** The node cuts long logs short ("Log truncated"). */
  readonly logs: readonly string[];
  /** In the order in which they ran; null: only logs are known, `readTransaction` tells the rest. */
  readonly instructions: readonly ObservedInstruction[] | null;
};

export type TransactionEvents = {
  /** May repeat and may miss some. Failed transactions are left out. */
  readonly onTransaction: (transaction: ObservedTransaction) => void;
  /** Transactions may have been missed since `sinceSlot` (null: unknown). */
  readonly onGap: (sinceSlot: bigint | null) => void;
};

/**
 * A Solana node, by RPC or gRPC: the one shape that tracking knows. Reads have a timeout, bounded
 * retries with jitter, and throw AppError("chain_unavailable") when these are used up, or
 * AppError("overloaded") when too many wait. Commitment is `confirmed` unless configured otherwise.
 */
export interface ChainSource {
  /**
   * "demo" where the node is the local one with the demo market. "recorded": accounts of the past,
   * where now is what `readHead` says, not the wall clock.
   */
  readonly origin: "demo" | "recorded" | "live";
  readAccounts(addresses: readonly Address[], signal?: AbortSignal): Promise<AccountsRead>;
  searchAccounts(filter: ProgramFilter, signal?: AbortSignal): Promise<SearchResult>;
  /** What the accounts hold is read anew, with `readAccounts`: then all of it is of one slot. */
  findLargestAccounts(mint: Address, signal?: AbortSignal): Promise<LargestAccounts>;
  /** Reads the Clock sysvar. */
  readHead(signal?: AbortSignal): Promise<ChainHead>;
  follow(events: FollowEvents): Following;
  /** New and changed accounts of the program that match; may repeat and may miss some. */
  followProgram(filter: ProgramFilter, onUpdate: (update: AccountUpdate) => void): Subscription;
  close(): Promise<void>;
}

/** The beginnings of accounts that are too large to be read whole: a program's code is megabytes. */
export interface AccountStarts {
  /**
   * As `readAccounts`, with `data` cut to its first `bytes`: the node sends no more than these.
   * Fails as the reads of a ChainSource do.
   */
  readAccountStarts(
    addresses: readonly Address[],
    bytes: number,
    signal?: AbortSignal,
  ): Promise<AccountsRead>;
}

/** What a node tells of transactions, beside its accounts. */
export interface TransactionSource {
  /**
   * Null where the node does not know the transaction (any more), or it failed. Fails as the reads
   * of a ChainSource do.
   */
  readTransaction(signature: string, signal?: AbortSignal): Promise<ObservedTransaction | null>;
  /** Transactions that mention any of the addresses added: programs or pools. */
  followTransactions(events: TransactionEvents): Following;
}
