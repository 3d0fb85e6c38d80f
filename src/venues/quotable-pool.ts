import type { Address } from "#src/units/address.ts";
import type { Ratio } from "#src/units/ratio.ts";
import { toNumber } from "#src/units/to-number.ts";
import { ASK_REFERENCE, type FastQuoter } from "./fast-quoter.ts";
import type { ShareOfPool } from "./liquidity-shares.ts";
import type { LockerId } from "./lockers/lock-terms.ts";
import { type CappedFee, cappedFeeOf } from "./shared/reserve-pool.ts";
import type { ChainMoment } from "./shared/vesting.ts";
import type {
  ChainPlace,
  Clock,
  Family,
  GrowingFee,
  PoolCaution,
  PoolStatus,
  Quote,
  UnfillableReason,
  Venue,
  VenueId,
} from "./venue.ts";

export type Sale =
  | { readonly kind: "filled"; readonly amountOut: bigint; readonly after: QuotablePool }
  | { readonly kind: "unfillable"; readonly reason: UnfillableReason };

/** A position with a price range of its own. */
export type RangedPosition = {
  /** Who may take it out, or the token whose holder may. */
  readonly owner: { readonly kind: "address" | "token"; readonly address: Address };
  /** The first tick of its range, or its first bin. */
  readonly lower: number;
  /** The tick at which its range ends, or the bin after its last one. */
  readonly upper: number;
  /** Of the whole range of ticks, as one number; of bins, one number each, from `lower` on. */
  readonly liquidity: readonly bigint[];
  /** What it is paid when it is taken out now: base units by mint, rounded down as the program does. */
  readonly held: ReadonlyMap<Address, bigint>;
  /** The program refuses withdrawals until then; absent: it never does. */
  readonly lock?: { readonly locker: LockerId; readonly until: ChainMoment };
};

/** By tick: the liquidity of all positions that end there. By bin: that of all positions in it. */
export type PositionTotals = ReadonlyMap<number, bigint>;

/** Some of a pool's positions, and what all of them add up to. */
export type TakenPositions = {
  readonly positions: readonly RangedPosition[];
  readonly totals: PositionTotals;
};

/** What one owner takes out of a pool. */
export type Withdrawal =
  | (ShareOfPool & { readonly kind: "share" })
  | (TakenPositions & { readonly kind: "positions" });

/** A pool bound to its state, one direction and one clock: what measuring needs, and no venue's name for it. */
export type QuotablePool = {
  readonly venue: VenueId;
  readonly family: Family;
  /** A curve is one only to the mint that it launches. */
  readonly kind: "curve" | "amm";
  /** Quote units that a curve holds, also when it is full; 0 of any other pool. */
  readonly raised: bigint;
  readonly address: Address;
  /** The mint that is sold here. */
  readonly baseMint: Address;
  /** The mint that comes out. */
  readonly quoteMint: Address;
  readonly status: PoolStatus;
  readonly cautions: readonly PoolCaution[];
  /** Quote base units per base unit sold, before fees; null where nothing can be sold. */
  readonly spotPrice: Ratio | null;
  /** All fees of a small sale, parts per million: the pool's, and both mints' transfer fees. */
  readonly feePpm: number;
  /** All fees by the size of the sale, where larger ones pay a higher rate; null or absent: all pay `feePpm`. */
  readonly growingFee?: GrowingFee | null;
  /** The part of `feePpm` that depends on the pool's depth; absent: no part does. */
  readonly cappedFee?: CappedFee | null;
  /**
   * 1: rounding costs a sale at most one unit of the input, apart from the mint's transfer fee. Absent: no
   * limit is promised, and two units are counted.
   */
  readonly inputRoundings?: 1;
  /** Quote units that selling takes out until the price has fallen by `fallBps`; 10,000: all. */
  readonly reachable: (fallBps: number) => bigint;
  /** Quote units paid for `amountIn`, or null where the program would refuse. */
  readonly quote: (amountIn: bigint) => bigint | null;
  /** The same for ascending amounts, in one traversal where the venue has a fast path. */
  readonly quoteAscending: (amountsIn: readonly bigint[]) => readonly (bigint | null)[];
  /** The sale, with the pool after it. */
  readonly sell: (amountIn: bigint) => Sale;
  /** Pays quote units for base units: the base units that arrive, and the pool after it. */
  readonly buy: (quoteIn: bigint) => Sale;
  /** Set where the program can sell in this pool as a part of an instruction over several pools. */
  readonly chain?: ChainSide;
  /** The instruction over several pools that it is bound as a hop of; absent: it is sold in alone. */
  readonly hopOf?: string;
  /** The other direction: what the pool sells its base for. Weighs asks; `buy` quotes there. */
  readonly purchases: PoolSide;
  /** The pool after an owner took that out; null where it is not known. */
  readonly withdraw: (withdrawal: Withdrawal) => QuotablePool | null;
};

export type ChainSide = {
  /** Pools of the same instruction can follow each other in it. */
  readonly instruction: string;
  /** The pool as that instruction sells in it; null where it never does at this place. */
  readonly at: (place: ChainPlace) => QuotablePool | null;
};

/** One direction of a pool, as `QuotablePool` has it for sales. */
export type PoolSide = {
  /** Output units per input unit, before fees; null where nothing can be had. */
  readonly spotPrice: Ratio | null;
  readonly feePpm: number;
  readonly growingFee?: GrowingFee | null;
  readonly reachable: (fallBps: number) => bigint;
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
  /** Sold as this hop of an instruction over several pools; absent: alone. */
  readonly place?: ChainPlace;
};

const LARGEST_EXACT_DOUBLE = 1n << 53n;

/** Binds a decoded pool to a direction and a clock. Nothing is computed until it is asked for. */
export function bindPool<State>(binding: Binding<State>): QuotablePool {
  const { venue, state, baseMint, clock, fast, place } = binding;
  const { chainSales } = venue;

  function quoteOf(amountIn: bigint): Quote<State> {
    const order = { inputMint: baseMint, amountIn, clock };
    if (place === undefined || chainSales === undefined) return venue.quoteExactIn(state, order);
    return chainSales.quoteHop(state, order, place) ?? { kind: "unfillable", reason: "refused" };
  }

  /** Whether a hop is ever sold here at this place does not depend on the amount. */
  function inChain(at: ChainPlace): QuotablePool | null {
    const probe = { inputMint: baseMint, amountIn: 1n, clock };
    if ((chainSales?.quoteHop(state, probe, at) ?? null) === null) return null;
    return bindPool({ ...binding, fast: null, place: at });
  }

  function chainFields(instruction: string): Pick<QuotablePool, "chain" | "hopOf"> {
    return place === undefined ? { chain: { instruction, at: inChain } } : { hopOf: instruction };
  }

  function soldBy(quote: Quote<State>): Sale {
    if (quote.kind === "unfillable") return quote;
    const after = bindPool({ ...binding, state: quote.after, fast: null });
    return { kind: "filled", amountOut: quote.amountOut, after };
  }

  function buy(quoteIn: bigint): Sale {
    const order = { inputMint: binding.quoteMint, amountIn: quoteIn, clock };
    return soldBy(venue.quoteExactIn(state, order));
  }

  function withdraw(withdrawal: Withdrawal): QuotablePool | null {
    const left =
      withdrawal.kind === "share"
        ? venue.withdraw?.(state, withdrawal, clock)
        : venue.withdrawPositions?.(state, withdrawal);
    if (left === undefined) return null;
    return left === null ? null : bindPool({ ...binding, state: left, fast: null });
  }

  function quoteReference(amountIn: bigint): bigint | null {
    const quote = quoteOf(amountIn);
    return quote.kind === "filled" ? quote.amountOut : null;
  }

  function quoteAscending(amountsIn: readonly bigint[]): readonly (bigint | null)[] {
    if (place !== undefined) return amountsIn.map(quoteReference);
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

  const raised = venue.raised?.(state, baseMint) ?? null;
  return {
    venue: venue.id,
    family: venue.family,
    kind: raised === null ? "amm" : "curve",
    raised: raised ?? 0n,
    address: binding.address,
    baseMint,
    quoteMint: binding.quoteMint,
    status: venue.status(state, clock),
    cautions: venue.cautions(state),
    get spotPrice() {
      return venue.spotPrice(state, baseMint);
    },
    ...(venue.inputRoundings === undefined ? {} : { inputRoundings: venue.inputRoundings }),
    get feePpm() {
      return place === undefined || chainSales === undefined
        ? venue.feePpm(state, baseMint, clock)
        : chainSales.feePpm(state, baseMint, clock, place);
    },
    get growingFee() {
      return venue.growingFee?.(state, baseMint, clock) ?? null;
    },
    get cappedFee() {
      const transfers = venue.transfers?.(state, baseMint);
      if (transfers === undefined) return null;
      return cappedFeeOf(transfers, { venue, state, inputMint: baseMint, epoch: clock.epoch });
    },
    reachable: (fallBps) => venue.reachable(state, baseMint, fallBps),
    purchases: {
      get spotPrice() {
        return venue.spotPrice(state, binding.quoteMint);
      },
      get feePpm() {
        return venue.feePpm(state, binding.quoteMint, clock);
      },
      get growingFee() {
        return venue.growingFee?.(state, binding.quoteMint, clock) ?? null;
      },
      reachable: (fallBps) => venue.reachable(state, binding.quoteMint, fallBps),
    },
    quote: (amountIn) => quoteAscending([amountIn])[0] ?? null,
    quoteAscending,
    sell: (amountIn) => soldBy(quoteOf(amountIn)),
    buy,
    ...(chainSales === undefined ? {} : chainFields(chainSales.instruction)),
    withdraw,
  };
}
