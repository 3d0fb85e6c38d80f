import type { Address } from "#src/units/address.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { SkipReason } from "./swap-reader.ts";

/** Another figure where the program paid and the model refuses. */
const REFUSED_BPS = 10_000;

/** One executed swap, and what our model makes of it. */
export type JudgedSwap = {
  readonly atMs: number;
  readonly venue: VenueId;
  readonly pool: Address;
  readonly slot: bigint;
  readonly signature: string;
  readonly outcome:
    | { readonly kind: "skipped"; readonly reason: SkipReason }
    | {
        readonly kind: "replayed";
        readonly inputMint: Address;
        readonly outputMint: Address;
        /** Base units that the trader handed over. */
        readonly amountIn: bigint;
        /** Base units of the output; lamports where it is SOL. Null: the model refuses the swap. */
        readonly executed: bigint;
        readonly modelled: bigint | null;
      };
};

export type ReplayedSwap = JudgedSwap & {
  readonly outcome: Extract<JudgedSwap["outcome"], { readonly kind: "replayed" }>;
};

/** How far the model is off, in basis points of what was paid; 0 is exact. */
export function differenceBps({
  executed,
  modelled,
}: Pick<ReplayedSwap["outcome"], "executed" | "modelled">): number {
  if (modelled === executed) return 0;
  if (modelled === null || executed === 0n) return REFUSED_BPS;
  const difference = modelled > executed ? modelled - executed : executed - modelled;
  return 10_000 * ratioToNumber(difference, executed);
}

export function isReplayed(swap: JudgedSwap): swap is ReplayedSwap {
  return swap.outcome.kind === "replayed";
}
