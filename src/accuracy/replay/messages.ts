import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { JudgedSwap, ReplayedSwap } from "../judged-swap.ts";
import type { QuotedRow, ServedQuote } from "../quoted-executed.ts";
import type { TallyRow } from "../tallies.ts";
import type { TransactionFeed } from "../transaction-feed.ts";

/** A pool whose swaps the worker judges. */
export type PoolName = {
  readonly venue: VenueId;
  readonly address: Address;
  readonly mint: Address;
  readonly isReserved: boolean;
};

/** The data that the worker is started with. */
export type ReplayStart = {
  readonly feed: TransactionFeed;
  /** Counts from before the start. */
  readonly rows: readonly TallyRow[];
  readonly quoted: readonly QuotedRow[];
};

/** Messages to the worker, in order. */
export type ToReplay =
  /** A batch of account updates (update-batch.ts). */
  | { readonly kind: "updates"; readonly batch: Uint8Array }
  | {
      readonly kind: "pools";
      readonly added: readonly PoolName[];
      readonly removed: readonly Address[];
    }
  /** Answers that were served: later sales are compared with them. */
  | { readonly kind: "served"; readonly answers: readonly ServedQuote[] }
  /** Accounts that nothing depends on any more. */
  | { readonly kind: "forget"; readonly addresses: readonly Address[] }
  /** Updates were lost: the worker drops all accounts, and the address numbers start over. */
  | { readonly kind: "gap" }
  | { readonly kind: "close" };

/** Messages from the worker. */
export type FromReplay =
  /** The worker has processed this many bytes of updates. */
  | { readonly kind: "read"; readonly bytes: number }
  | {
      readonly kind: "counted";
      readonly rows: readonly TallyRow[];
      readonly quoted: readonly QuotedRow[];
    }
  /** The newest swaps since the last such message; of busy venues not all. */
  | { readonly kind: "judged"; readonly swaps: readonly JudgedSwap[] }
  | {
      readonly kind: "mismatch";
      readonly swap: ReplayedSwap;
      /** As a recorded execution; null if the state it was replayed on was not held by accounts. */
      readonly execution: string | null;
    }
  | { readonly kind: "failure"; readonly what: string; readonly cause: unknown };
