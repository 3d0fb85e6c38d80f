import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { JudgedSwap, ReplayedSwap } from "./judged-swap.ts";
import type { QuotedRow, ServedAnswer } from "./quoted-executed.ts";
import type { TallyRow } from "./tallies.ts";
import type { TransactionFeed } from "./transaction-feed.ts";

/** A pool to watch, as it is named to the thread. */
export type PoolName = {
  readonly venue: VenueId;
  readonly address: Address;
  readonly mint: Address;
  readonly isDerived: boolean;
};

/** What the thread is started with. */
export type ReplayStart = {
  readonly feed: TransactionFeed;
  /** What was counted before. */
  readonly rows: readonly TallyRow[];
  readonly quoted: readonly QuotedRow[];
};

/** What the thread is told, in order. */
export type ToReplay =
  /** A batch of account updates (update-batch.ts). */
  | { readonly kind: "updates"; readonly batch: Uint8Array }
  | {
      readonly kind: "pools";
      readonly added: readonly PoolName[];
      readonly removed: readonly Address[];
    }
  /** Answers went out: sales to come are held against them. */
  | { readonly kind: "served"; readonly answers: readonly ServedAnswer[] }
  /** Nothing depends on these accounts any more. */
  | { readonly kind: "forget"; readonly addresses: readonly Address[] }
  /** Updates were lost: nothing that is held is known to stand, and addresses are numbered anew. */
  | { readonly kind: "gap" }
  | { readonly kind: "close" };

/** What the thread tells. */
export type FromReplay =
  /** It has worked through so many bytes of updates. */
  | { readonly kind: "read"; readonly bytes: number }
  | {
      readonly kind: "counted";
      readonly rows: readonly TallyRow[];
      readonly quoted: readonly QuotedRow[];
    }
  /** The newest swaps since it last told of any: of busy venues not all. */
  | { readonly kind: "judged"; readonly swaps: readonly JudgedSwap[] }
  | {
      readonly kind: "mismatch";
      readonly swap: ReplayedSwap;
      /** As a recorded execution; null where no accounts held what it was replayed on. */
      readonly execution: string | null;
    }
  | { readonly kind: "failure"; readonly what: string; readonly cause: unknown };
