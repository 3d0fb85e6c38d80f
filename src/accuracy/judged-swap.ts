import type { Address } from "#src/units/address.ts";
import { isStable, WSOL } from "#src/units/known-addresses.ts";
import { ratioToNumber } from "#src/units/to-number.ts";
import type { SkipReason } from "#src/venues/swap-reader.ts";
import type { VenueId } from "#src/venues/venue.ts";

/** The difference if the program paid and the model refuses the swap. */
const REFUSED_BPS = 10_000;

/** One executed swap with the amount that our model computes for it. */
export type JudgedSwap = {
  readonly atMs: number;
  readonly venue: VenueId;
  readonly pool: Address;
  readonly slot: bigint;
  readonly signature: string;
  /** Who traded, or else who paid the transaction's fee; null if only a log without them is known. */
  readonly signer: Address | null;
  readonly outcome:
    | { readonly kind: "skipped"; readonly reason: SkipReason }
    | {
        readonly kind: "replayed";
        readonly inputMint: Address;
        readonly outputMint: Address;
        /** Base units that the trader paid. */
        readonly amountIn: bigint;
        /** Base units of the output; lamports if it is SOL. `modelled` is null if the model refuses the swap. */
        readonly executed: bigint;
        readonly modelled: bigint | null;
      };
};

export type ReplayedSwap = JudgedSwap & {
  readonly outcome: Extract<JudgedSwap["outcome"], { readonly kind: "replayed" }>;
};

/** The difference of the model, in basis points of the executed amount; 0 is exact. */
export function differenceBps({
  executed,
  modelled,
}: Pick<ReplayedSwap["outcome"], "executed" | "modelled">): number {
  if (modelled === executed) return 0;
  if (modelled === null || executed === 0n) return REFUSED_BPS;
  const difference = modelled > executed ? modelled - executed : executed - modelled;
  return 10_000 * ratioToNumber(difference, executed);
}

/** Trades below these amounts cost next to nothing: they lower no confidence. */
const DUST_LAMPORTS = 10_000_000n;
const DUST_STABLE_UNITS = 1_000_000n;
/** Where neither side is SOL or a stable, only amounts that rounding dominates are dust. */
const DUST_BASE_UNITS = 1_000n;

/** Whether so little was traded that anyone could repeat it at will. */
export function isDust({
  inputMint,
  outputMint,
  amountIn,
  executed,
}: ReplayedSwap["outcome"]): boolean {
  const limits = [
    { mint: inputMint, amount: amountIn },
    { mint: outputMint, amount: executed },
  ].flatMap(({ mint, amount }) => {
    if (mint === WSOL) return [amount < DUST_LAMPORTS];
    return isStable(mint) ? [amount < DUST_STABLE_UNITS] : [];
  });
  const [known] = limits;
  return known ?? (amountIn < DUST_BASE_UNITS || executed < DUST_BASE_UNITS);
}

export function isReplayed(swap: JudgedSwap): swap is ReplayedSwap {
  return swap.outcome.kind === "replayed";
}
