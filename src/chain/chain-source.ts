import type { Address } from "#src/units/address.ts";
import type { Account } from "#src/venues/account-set.ts";
import type { Clock, ProgramFilter } from "#src/venues/venue.ts";

/** An account as it stands from `slot` on; null: it does not exist (any more). */
export type AccountUpdate = {
  readonly address: Address;
  readonly account: Account | null;
  readonly slot: bigint;
};

/** Accounts read at one slot. An address that the node left out is absent from the map: unknown, not null. */
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

/** The newest slot a node has told of, with the chain's own clock at it. */
export type ChainHead = { readonly clock: Clock; readonly receivedAtMs: number };

export type FollowEvents = {
  /** Late, doubled and out of order: apply by slot. */
  readonly onUpdate: (update: AccountUpdate) => void;
  /** Updates may have been lost since `sinceSlot` (null: unknown): read everything again. */
  readonly onGap: (sinceSlot: bigint | null) => void;
  readonly onSlot: (slot: bigint) => void;
};

/** A subscription whose set of addresses can change while it runs. */
export interface Following {
  add(addresses: readonly Address[]): void;
  remove(addresses: readonly Address[]): void;
  close(): Promise<void>;
}

/**
 * A Solana node, by RPC or gRPC: the one shape that tracking knows. Reads have a timeout, bounded
 * retries with jitter, and throw AppError("chain_unavailable") when these are used up.
 */
export interface ChainSource {
  /** "demo" where the node is the local one with the demo market. */
  readonly origin: "demo" | "recorded" | "live";
  readAccounts(addresses: readonly Address[], signal?: AbortSignal): Promise<AccountsRead>;
  searchAccounts(filter: ProgramFilter, signal?: AbortSignal): Promise<SearchResult>;
  /** Reads the Clock sysvar. */
  readHead(signal?: AbortSignal): Promise<ChainHead>;
  follow(events: FollowEvents): Following;
  /** New accounts of the program that match; may repeat and may miss some. */
  followProgram(filter: ProgramFilter, onUpdate: (update: AccountUpdate) => void): Following;
  close(): Promise<void>;
}
