import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";
import type { SlotOutcome } from "./geyser/slot-outcomes.ts";

/** An account's content from `slot` on; null: it does not exist (any more). */
export type AccountUpdate = {
  readonly address: Address;
  readonly account: Account | null;
  readonly slot: bigint;
};

/**
 * Accounts read together. Each account carries the slot that it was read at; `slot` is the lowest of
 * them, so all accounts are of that slot or later. An address that the node left out, or whose entry was
 * malformed, is absent from the map: unknown, not null.
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
  /** The provider refuses such queries, or failed: it is unknown which accounts exist. */
  | { readonly kind: "refused"; readonly reason: string };

/** What a provider refuses: a method, for one program or (null) at all. */
export type NodeRefusal = {
  readonly method: string;
  readonly programId: Address | null;
  readonly reason: string;
};

/** The accounts that hold most of a mint's tokens, as listed by a node. */
export type LargestAccounts =
  | {
      readonly kind: "found";
      /** The largest first, at most `LARGEST_LISTED`; fewer means that there are no others. */
      readonly addresses: readonly Address[];
    }
  /** The provider refuses such queries, or does not know the mint: its holders are unknown. */
  | { readonly kind: "refused"; readonly reason: string };

/** The most accounts that a node lists for one mint. */
export const LARGEST_LISTED = 20;

export type FollowEvents = {
  /** May be late, doubled and out of order: apply by slot. */
  readonly onUpdate: (update: AccountUpdate) => void;
  /**
   * The connection was lost and is restored: updates since `sinceSlot` may be lost, those from `untilSlot` on
   * are not (null: unknown). Read everything again, or only `lost` if it is stated: nothing else was on that
   * connection. A read of an earlier slot may lack what was lost.
   */
  readonly onGap: (
    sinceSlot: bigint | null,
    untilSlot?: bigint | null,
    lost?: ReadonlySet<Address> | null,
  ) => void;
  /** Addresses just added are followed from now on: earlier reads of them may be out of date. */
  readonly onFollowed?: (addresses: readonly Address[]) => void;
  /** A slot notification; the slot may be lower after a reconnect. */
  readonly onSlot: (slot: bigint) => void;
  /**
   * Whether every change is delivered from now on, so that an account without updates has not changed.
   * Only a stream of whole programs calls this; until the first call, changes may be missing.
   */
  readonly onWhole?: (isWhole: boolean) => void;
  /**
   * The newest slot of which all streams have delivered every change; it can be lower than before. Sources that
   * call `onWhole` call this at each slot, before they report that the streams are whole again; slots of
   * another subscription do not count.
   */
  readonly onReached?: (slot: bigint) => void;
  /**
   * Accounts that no stream delivers; `onWhole` and `onReached` do not apply to them. Called once, by sources
   * that call `onWhole`; the same set object then changes with the subscriptions.
   */
  readonly onElsewhere?: (addresses: ReadonlySet<Address>) => void;
  /**
   * If state is followed before it is confirmed: the outcome of a slot. The changes of a dropped slot are
   * void. After a gap, no outcome of the slots before it is reported.
   */
  readonly onSlotEnd?: (slot: bigint, outcome: SlotOutcome) => void;
};

/** How changes of accounts arrive. */
export type StreamInUse = {
  readonly configured: "grpc" | "websocket";
  /** "polling": no stream delivers slots. */
  readonly inUse: "grpc" | "websocket" | "polling";
  /** Why `inUse` differs from `configured`, in the server's words if it gave a reason. */
  readonly reason: string | null;
  /** Time from which `inUse` differs from `configured`; null: it does not. */
  readonly sinceMs: number | null;
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

/** One instruction of a transaction. */
export type ObservedInstruction = {
  readonly programId: Address;
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
};

/** Base units of a token account before and after a transaction; null: not stated. */
export type TokenAmounts = { readonly before: bigint | null; readonly after: bigint | null };

/** A successful transaction, with its logs and instructions. */
export type ObservedTransaction = {
  /** Base58. */
  readonly signature: string;
  readonly slot: bigint;
  /** The node truncates long logs ("Log truncated"). */
  readonly logs: readonly string[];
  /** The first signer; absent where only logs are known. */
  readonly feePayer?: Address;
  /** The chain's clock at the slot, in seconds; absent where it is not stated. */
  readonly blockTime?: bigint;
  /** Of the token accounts that it names; absent where only logs are known. */
  readonly tokenAmounts?: ReadonlyMap<Address, TokenAmounts>;
  /** In the order of execution; null: only logs are known, `readTransaction` returns the rest. */
  readonly instructions: readonly ObservedInstruction[] | null;
};

/** A set of accounts to look for in transactions; may change at any time. */
export type NamedAccounts = {
  readonly size: number;
  readonly has: (address: Address) => boolean;
  /** False: no account of the set has these bytes. Most addresses need not be converted to text then. */
  readonly mayHave: (bytes: Uint8Array) => boolean;
  /**
   * False: no account of the set is in this message, which need not be decoded then. In a message of
   * protocol buffers an address follows its length, 32.
   */
  readonly mayOccurIn: (message: Buffer) => boolean;
};

export type TransactionEvents = {
  /** May repeat and may miss some. Failed transactions are left out. */
  readonly onTransaction: (transaction: ObservedTransaction) => void;
  /** Transactions since `sinceSlot` (null: unknown) may have been missed. */
  readonly onGap: (sinceSlot: bigint | null) => void;
  /**
   * If given, only transactions that name an account of this set are needed. A stream skips all others
   * without decoding them: with whole programs, transactions are most of its data.
   */
  readonly named?: NamedAccounts;
};

/**
 * A Solana node over RPC or gRPC, the only interface that tracking uses. Reads have a timeout, bounded
 * retries with jitter, and throw AppError("chain_unavailable") when these are used up, or
 * AppError("overloaded") when too many wait. Commitment is `confirmed` unless configured otherwise.
 */
export interface ChainSource {
  /**
   * "demo": the local node with the demo market. "recorded": accounts of the past; the current time is
   * that of `readClock`, not the wall clock.
   */
  readonly origin: "demo" | "recorded" | "live";
  readAccounts(addresses: readonly Address[], signal?: AbortSignal): Promise<AccountsRead>;
  /** Maximum number of accounts in one call; accounts of one call are of one slot. Absent: 100. */
  readonly accountsPerCall?: (() => number) | undefined;
  /** See AccountStarts; absent where accounts are always read whole. */
  readonly readAccountStarts?: AccountStarts["readAccountStarts"] | undefined;
  searchAccounts(filter: ProgramFilter, signal?: AbortSignal): Promise<SearchResult>;
  /** Returns addresses alone: read the accounts with `readAccounts`, so that all are of one slot. */
  findLargestAccounts(mint: Address, signal?: AbortSignal): Promise<LargestAccounts>;
  /**
   * The newest transaction that mentions the address; null: none is known. Absent where the source
   * serves no transactions. Fails as the other reads do.
   */
  readonly readLastMention?: (
    address: Address,
    signal?: AbortSignal,
  ) => Promise<ObservedTransaction | null>;
  /** Like `readAccounts`, but waits up to a second to share a call with other reads; absent: use `readAccounts`. */
  readonly readPatiently?: ChainSource["readAccounts"] | undefined;
  /** Like `searchAccounts`, but before searches that no answer waits for; absent: use `searchAccounts`. */
  readonly searchSoon?: ChainSource["searchAccounts"] | undefined;
  /** The present pause between two searches, in milliseconds; absent: searches are not spaced. */
  readonly searchPauseMs?: (() => number) | undefined;
  /** Reads that no answer waits for, sent when the provider's rate leaves room; absent: there is no difference. */
  readonly background?: BackgroundReads | undefined;
  /** Reads the Clock sysvar. */
  readClock(signal?: AbortSignal): Promise<Clock>;
  follow(events: FollowEvents): Following;
  /**
   * New and changed accounts of the program that match; updates may repeat, and some may be missing.
   * Where `onNamed` is given, a source whose provider bills by the byte calls it with the address instead.
   */
  followProgram(
    filter: ProgramFilter,
    onUpdate: (update: AccountUpdate) => void,
    onNamed?: (address: Address) => void,
  ): Subscription;
  /** Set where notifications are of processed slots, which can be dropped. Reads are always confirmed. */
  readonly isProcessed?: boolean;
  /** Absent: the node's WebSocket is the configured stream. */
  readonly streamInUse?: () => StreamInUse;
  /** What the provider refuses now; absent: nothing is known of it. */
  readonly refusals?: () => readonly NodeRefusal[];
  close(): Promise<void>;
}

export type BackgroundReads = Pick<
  ChainSource,
  "readAccounts" | "findLargestAccounts" | "readLastMention"
>;

/** Reads the first bytes of accounts that are too large to read whole, such as a program's code. */
export interface AccountStarts {
  /**
   * As `readAccounts`, with `data` cut to its first `bytes`, which is all that the node sends.
   * Fails as the reads of a ChainSource do.
   */
  readAccountStarts(
    addresses: readonly Address[],
    bytes: number,
    signal?: AbortSignal,
  ): Promise<AccountsRead>;
}

/** Bytes of an account, from an offset. */
export type AccountSlice = { readonly offset: number; readonly length: number };

/** Reads an account in parts: a program's code is larger than the replies of some providers. */
export interface AccountSlices {
  /**
   * The account with `data` cut to the slice, shorter where the account ends; null: it does not exist.
   * Fails as the reads of a ChainSource do.
   */
  readAccountSlice(
    address: Address,
    slice: AccountSlice,
    signal?: AbortSignal,
  ): Promise<Account | null>;
}

/** Transactions of a node. */
export interface TransactionSource {
  /**
   * Null: unknown to the node (any more), or failed on chain. Fails as the reads of a ChainSource do.
   */
  readTransaction(signature: string, signal?: AbortSignal): Promise<ObservedTransaction | null>;
  /** Transactions that mention any of the addresses added: programs or pools. */
  followTransactions(events: TransactionEvents): Following;
}
