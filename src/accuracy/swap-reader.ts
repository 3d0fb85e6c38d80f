import type { Address } from "#src/units/address.ts";
import { BytesEnded } from "#src/venues/byte-reader.ts";
import type { ExactIn, Venue } from "#src/venues/venue.ts";
import type { PatchedAccounts } from "./patched-accounts.ts";
import type { ProgramRun } from "./program-run.ts";

/** Why a swap that was seen is not replayed. */
export const SKIP_REASONS = [
  /** The trader named the output: our quotes name the input. */
  "exact-out",
  /** The program took less than it was offered, or on terms that no plain holder has. */
  "other-terms",
  /** An event in a form from before the one that tells enough. */
  "old-event",
  /** An event that ends too early: the program may have been changed. */
  "event-unreadable",
  /** The node cut the log short, or would not give the transaction. */
  "transaction-unread",
  /** The state before it is not held, or not known to be the one before it. */
  "state-not-held",
  /** Something else changed the pool in the same slot. */
  "another-change",
  /** A swap before it in the same slot was not modelled exactly. */
  "after-a-mismatch",
  /** The chain's clock at its slot is not known. */
  "clock-unknown",
  /** It reaches ticks or bins that are not held. */
  "beyond-loaded",
  /** Our own code failed at it. */
  "replay-failed",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * The token that goes in: by its mint; by its side of the pair, in the program's own order; or by an
 * address that stands in the pool's account, at one offset for A and at another for B.
 */
export type InputToken =
  | { readonly mint: Address }
  | { readonly side: "a" | "b" }
  | { readonly named: Address; readonly atA: number; readonly atB: number };

/** One swap as its program tells of it. */
export type SwapSeen<Before> =
  | { readonly kind: "skipped"; readonly pool: Address; readonly reason: SkipReason }
  | {
      readonly kind: "told";
      readonly pool: Address;
      readonly input: InputToken;
      /** What the trader hands over, base units. */
      readonly amountIn: bigint;
      /** What the trader gets; or what the reader's `told` models, where it has one. */
      readonly amountOut: bigint;
      /** The chain's clock as the event has it; null: it has none. */
      readonly unixTimestamp: bigint | null;
      readonly before: Before;
    };

/**
 * One program's swaps, out of what it left in a transaction. Method syntax on purpose, as in `Venue`:
 * a list of readers of unknown states passes each only what its own venue decoded.
 */
export interface SwapReader<State, Before> {
  readonly venue: Venue<State>;
  /** The log alone does not tell enough: which pool, or that the input was named. */
  readonly needsInstructions: boolean;
  /** @throws BytesEnded for an event that ends too early */
  read(run: ProgramRun): readonly SwapSeen<Before>[];
  /**
   * Overwrites the reserves that are held with those that the event carries. Without it the swap
   * rests on the state held.
   */
  setBefore?(accounts: PatchedAccounts, pool: Address, before: Before): void;
  /** Whether a state that is held can be the one before this swap. */
  agrees?(state: State, before: Before): boolean;
  /** The output as the event counts it, where that is not what reaches the trader. */
  told?(state: State, order: ExactIn): bigint | null;
}

/** Reads what a program left; null where an event of it ends too early to be one. */
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
