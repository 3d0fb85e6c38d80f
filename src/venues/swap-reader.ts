import type { Address } from "#src/units/address.ts";
import { BytesEnded } from "./byte-reader.ts";
import type { PatchedAccounts } from "./patched-accounts.ts";
import type { ProgramRun } from "./program-run.ts";
import type { ChainPlace, ExactIn, Quote, Venue } from "./venue.ts";

/** Why a swap that was seen is not replayed. */
const SKIP_REASONS = [
  /** The trader named the output, and the venue models only orders that name the input. */
  "exact-out",
  /** The program took less than was offered, or on terms that no plain holder has. */
  "other-terms",
  /** An event in an older form that lacks needed fields. */
  "old-event",
  /** An event that ends too early: the program may have been changed. */
  "event-unreadable",
  /** The node truncated the log or did not return the transaction. */
  "transaction-unread",
  /** The state before the swap is not held, or may not be the last one before it. */
  "state-not-held",
  /** Something else changed the pool in the same slot. */
  "another-change",
  /** A swap before it in the same slot was not modelled exactly. */
  "after-a-mismatch",
  /** The chain's clock at its slot is not known. */
  "clock-unknown",
  /** The swap reaches ticks or bins that are not held. */
  "beyond-loaded",
  /** Our own code threw. */
  "replay-failed",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * The token sold: by its mint; by its side of the pair, in the program's own order; or by an address
 * that the pool's account holds at offset `atA` for token A and `atB` for token B.
 */
export type InputToken =
  | { readonly mint: Address }
  | { readonly side: "a" | "b" }
  | { readonly named: Address; readonly atA: number; readonly atB: number };

/** One swap as its program reports it. */
export type SwapSeen<Before> =
  | { readonly kind: "skipped"; readonly pool: Address; readonly reason: SkipReason }
  | {
      readonly kind: "reported";
      readonly pool: Address;
      readonly input: InputToken;
      /** What the trader hands over, base units. */
      readonly amountIn: bigint;
      /** What the trader receives; or what the reader's `reportedOutput` models, where it has one. */
      readonly amountOut: bigint;
      /** Set where the trader named `amountOut`; `amountIn` is then what the program charged. */
      readonly isExactOut?: true;
      /** Set for a hop of an instruction over several pools: its fees depend on its place. */
      readonly place?: ChainPlace;
      /** The trader, where the event names it. */
      readonly trader?: Address;
      /** The chain's clock in the event; null where it has none. */
      readonly unixTimestamp: bigint | null;
      readonly before: Before;
    };

/**
 * Reads one program's swaps from a transaction. Method syntax on purpose, as in `Venue`: a list of
 * readers of unknown states passes each only what its own venue decoded.
 */
export interface SwapReader<State, Before> {
  readonly venue: Venue<State>;
  /** The log alone does not name the pool, or whether the order was exact-in. */
  readonly needsInstructions: boolean;
  /** @throws BytesEnded for an event that ends too early */
  read(run: ProgramRun): readonly SwapSeen<Before>[];
  /**
   * Overwrites the held reserves with those in the event. Without it the swap is replayed on the held
   * state.
   */
  setBefore?(accounts: PatchedAccounts, pool: Address, before: Before): void;
  /** Whether a held state can be the one before this swap. */
  agrees?(state: State, before: Before): boolean;
  /**
   * What an order that names the output costs the trader with all fees. "other-terms": not known of this
   * pool. Absent: the venue skips such orders as "exact-out".
   */
  costExactOut?(state: State, order: ExactOut): bigint | "refused" | "other-terms";
  /** A hop with a `place`, in either direction; null: not known of this pool. */
  quoteHop?(state: State, order: ExactIn, place: ChainPlace): Quote<State> | null;
  /** The output as the event counts it, where that differs from what the trader receives. */
  reportedOutput?(state: State, order: ExactIn): bigint | null;
}

/** An order that names the output: `amountOut` base units for `inputMint`. */
export type ExactOut = Pick<ExactIn, "inputMint" | "clock"> & { readonly amountOut: bigint };

/** The swaps of a run; null where an event ends too early. */
export function readRun<Before>(
  reader: SwapReader<unknown, Before>,
  run: ProgramRun,
): readonly SwapSeen<Before>[] | null {
  try {
    return reader.read(run);
  } catch (error) {
    if (error instanceof BytesEnded) return null;
    throw error;
  }
}
