import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import { ASK_REFERENCE, type FastQuoter } from "./fast-quoter.ts";
import type { ShareOfPool } from "./liquidity-shares.ts";
import type {
  Clock,
  Family,
  PoolCaution,
  PoolStatus,
  UnfillableReason,
  Venue,
  VenueId,
} from "./venue.ts";

export type Sale =
  | { readonly kind: "filled"; readonly amountOut: bigint; readonly after: QuotablePool }
  | { readonly kind: "unfillable"; readonly reason: UnfillableReason };

/** A pool bound to its state, one direction and one clock: what measuring needs, and no venue's name for it. */
export type QuotablePool = {
  readonly venue: VenueId;
  readonly family: Family;
  readonly kind: "curve" | "amm";
  readonly address: Address;
  /** The mint that is sold here. */
  readonly baseMint: Address;
  /** The mint that comes out. */
  readonly quoteMint: Address;
  readonly status: PoolStatus;
  readonly cautions: readonly PoolCaution[];
  /** Quote base units per base unit sold, before fees; null where nothing can be sold. */
  readonly spotPrice: Ratio | null;
  /** All fees of a first unit, parts per million, for display. */
  readonly feePpm: number;
  /** Quote units that selling takes out until the price has fallen by `fallBps`; 10,000: all. */
  readonly reachable: (fallBps: number) => bigint;
  /** Quote units paid for `amountIn`, or null where the program would refuse. */
  readonly quote: (amountIn: bigint) => bigint | null;
  /** The same for ascending amounts, in one traversal where the venue has a fast path. */
  readonly quoteAscending: (amountsIn: readonly bigint[]) => readonly (bigint | null)[];
  /** The sale with the pool as it stands afterwards. */
  readonly sell: (amountIn: bigint) => Sale;
  /** The pool after the holder of that part of its shares took it out; null where that is not known. */
  readonly withdraw: (part: ShareOfPool) => QuotablePool | null;
};

export type Binding<State> = {
  readonly venue: Venue<State>;
  readonly address: Address;
  readonly state: State;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly clock: Clock;
  /** Opened on the same bytes as `state`, and refreshed with them. */
  readonly fast: FastQuoter | null;
};

const LARGEST_EXACT_DOUBLE = 1n << 53n;

/** Binds a decoded pool to a direction and a clock. Nothing is computed until it is asked for. */
export function bindPool<State>(binding: Binding<State>): QuotablePool {
  const { venue, state, baseMint, clock, fast } = binding;

  function sell(amountIn: bigint): Sale {
    const quote = venue.quoteExactIn(state, { inputMint: baseMint, amountIn, clock });
    if (quote.kind === "unfillable") return quote;
    const after = bindPool({ ...binding, state: quote.after, fast: null });
    return { kind: "filled", amountOut: quote.amountOut, after };
  }

  function withdraw(part: ShareOfPool): QuotablePool | null {
    const left = venue.withdraw?.(state, part, clock) ?? null;
    return left === null ? null : bindPool({ ...binding, state: left, fast: null });
  }

  function quoteReference(amountIn: bigint): bigint | null {
    const quote = venue.quoteExactIn(state, { inputMint: baseMint, amountIn, clock });
    return quote.kind === "filled" ? quote.amountOut : null;
  }

  function quoteAscending(amountsIn: readonly bigint[]): readonly (bigint | null)[] {
    const largest = amountsIn.at(-1);
    if (fast === null || largest === undefined || largest >= LARGEST_EXACT_DOUBLE) {
      const orders = { inputMint: baseMint, amountsIn, clock };
      return venue.quoteAscending?.(state, orders) ?? amountsIn.map(quoteReference);
    }
    const doublesIn = Float64Array.from(amountsIn, toNumber);
    const doublesOut = new Float64Array(amountsIn.length);
    fast.quoteAscending(doublesIn, doublesOut, clock);
    return amountsIn.map((amountIn, index) => {
      const amountOut = doublesOut[index] ?? ASK_REFERENCE;
      if (Number.isNaN(amountOut)) return quoteReference(amountIn);
      return amountOut < 0 ? null : BigInt(amountOut);
    });
  }

  return {
    venue: venue.id,
    family: venue.family,
    kind: venue.kind,
    address: binding.address,
    baseMint,
    quoteMint: binding.quoteMint,
    status: venue.status(state, clock),
    cautions: venue.cautions(state),
    get spotPrice() {
      return venue.spotPrice(state, baseMint);
    },
    get feePpm() {
      return venue.feePpm(state, baseMint, clock);
    },
    reachable: (fallBps) => venue.reachable(state, baseMint, fallBps),
    quote: (amountIn) => quoteAscending([amountIn])[0] ?? null,
    quoteAscending,
    sell,
    withdraw,
  };
}
