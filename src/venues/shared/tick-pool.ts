import type { Address } from "#src/units/address.ts";
import { minBigint, Q64 } from "#src/units/integer.ts";
import { MathError } from "#src/units/math-error.ts";
import type { Ratio } from "#src/units/ratio.ts";
import type { AccountSet } from "../account-set.ts";
import type { Clock, ExactIn, PoolCaution, Quote, UnfillableReason } from "../venue.ts";
import { squareRootFloor } from "./curves/constant-product.ts";
import type { Direction } from "./curves/direction.ts";
import { unfillable } from "./refusals.ts";
import { isStopped, loadedMint } from "./token/mint.ts";
import type { TokenAccount } from "./token/token-account.ts";
import { type TransferFeeSchedule, transferFee } from "./token/transfer-fee.ts";

const Q128 = Q64 * Q64;

/** One of a tick pool's two tokens. */
export type TickSide = {
  readonly mint: Address;
  readonly transferFee: TransferFeeSchedule | null;
  /** Base units in the vault, fees owed to others included. */
  readonly heldInVault: bigint;
  /** No transfer passes: the vault is frozen, the mint is paused, or its tokens can't be transferred. */
  readonly isStuck: boolean;
  /** The mint has a transfer hook. */
  readonly hasHook: boolean;
};

/** @throws UnusableError where the mint is missing or undecodable */
export function readTickSide(known: AccountSet, address: Address, vault: TokenAccount): TickSide {
  const mint = loadedMint(known, address);
  return {
    mint: address,
    transferFee: mint.transferFee,
    heldInVault: vault.amount,
    isStuck: vault.isFrozen || isStopped(mint),
    hasHook: mint.transferHook !== null,
  };
}

export function tickCautions(
  isPartlyLoaded: boolean,
  ...sides: readonly TickSide[]
): readonly PoolCaution[] {
  const found: PoolCaution[] = [];
  if (isPartlyLoaded) found.push("partly-loaded");
  if (sides.some(({ hasHook }) => hasHook)) found.push("transfer-hook");
  return found;
}

/** A price range at constant liquidity, or limit orders at one price, in the order a sale meets them. */
export type Layer = {
  readonly fromX64: bigint;
  readonly toX64: bigint;
  readonly liquidity: bigint;
  /** Output base units of limit orders waiting at `toX64`. */
  readonly orders: bigint;
};

/** Square root price, token B per token A, at which the first unit sells; null where none does. */
function firstSqrtPrice(layers: Iterable<Layer>): bigint | null {
  for (const { fromX64, toX64, liquidity, orders } of layers) {
    if (liquidity > 0n && fromX64 !== toX64) return fromX64;
    if (orders > 0n) return toX64;
  }
  return null;
}

/** Output per input before fees, past empty ranges; null where nothing can be sold. */
export function layersSpotPrice(layers: Iterable<Layer>, direction: Direction): Ratio | null {
  const sqrtPriceX64 = firstSqrtPrice(layers);
  if (sqrtPriceX64 === null) return null;
  const square = sqrtPriceX64 * sqrtPriceX64;
  return direction === "down"
    ? { numerator: square, denominator: Q128 }
    : { numerator: Q128, denominator: square };
}

/** Output that selling takes out until the seller's price has fallen by `fallBps` from its spot. */
export function layersReachable(sale: {
  /** The layers ahead; called twice. */
  readonly layers: () => Iterable<Layer>;
  readonly direction: Direction;
  readonly fallBps: number;
  /** The program's lowest or highest square root price, whichever the sale moves towards. */
  readonly endOfRangeX64: bigint;
  /** Output base units in the vault. */
  readonly heldOut: bigint;
}): bigint {
  const { layers, direction } = sale;
  const isDown = direction === "down";
  const spot = firstSqrtPrice(layers());
  if (spot === null) return 0n;
  const endX64 = sqrtPriceAfterFall(spot, sale);
  let total = 0n;
  for (const { fromX64, toX64, liquidity, orders } of layers()) {
    const isEndNearer = isDown ? endX64 > toX64 : endX64 < toX64;
    const stopX64 = isEndNearer ? endX64 : toX64;
    const isPastEnd = isDown ? fromX64 <= endX64 : fromX64 >= endX64;
    if (!isPastEnd) {
      const area = liquidity * (isDown ? fromX64 - stopX64 : stopX64 - fromX64);
      total += isDown ? area >> 64n : (area << 64n) / (fromX64 * stopX64);
    }
    if (isEndNearer) break;
    total += orders;
  }
  return minBigint(total, sale.heldOut);
}

/** The seller's price is the square of this one when it sells token A, its inverse otherwise. */
function sqrtPriceAfterFall(
  spot: bigint,
  {
    direction,
    fallBps,
    endOfRangeX64,
  }: {
    readonly direction: Direction;
    readonly fallBps: number;
    readonly endOfRangeX64: bigint;
  },
): bigint {
  if (fallBps >= 10_000) return endOfRangeX64;
  const left = BigInt(10_000 - fallBps);
  const square = spot * spot;
  return squareRootFloor(
    direction === "down" ? (square * left) / 10_000n : (square * 10_000n) / left,
  );
}

/** A quote with the other fields of the swap's event. */
export type TickQuote<State> =
  | (Extract<Quote<State>, { readonly kind: "filled" }> & {
      /** What leaves the pool, before the output token's transfer fee. */
      readonly grossOut: bigint;
      /** LP and protocol fee together, base units of the token that the fee is taken in. */
      readonly tradeFee: bigint;
    })
  | Extract<Quote<State>, { readonly kind: "unfillable" }>;

/**
 * Quotes ascending amounts, each from the same state, in one traversal: ticks that an order crosses
 * whole pay the same to every larger one, so each quote resumes where the one before entered its last
 * tick range.
 */
function quoteInOneWalk<Cursor>(
  amountsIn: readonly bigint[],
  quoteFrom: (
    amountIn: bigint,
    resumeFrom: Cursor | null,
  ) => {
    readonly quote:
      | { readonly kind: "filled"; readonly amountOut: bigint }
      | { readonly kind: "unfillable" };
    readonly resumeFrom: Cursor | null;
  },
): readonly (bigint | null)[] {
  let resumeFrom: Cursor | null = null;
  return amountsIn.map((amountIn) => {
    const found = quoteFrom(amountIn, resumeFrom);
    resumeFrom = found.resumeFrom;
    return found.quote.kind === "filled" ? found.quote.amountOut : null;
  });
}

/** An order that reached the pool. */
export type TickOrder<State> = {
  readonly state: State;
  readonly order: ExactIn;
  /** What reaches the pool, after the input token's transfer fee. */
  readonly amount: bigint;
  readonly direction: Direction;
};

/** Where a swap ended, and where it entered its last tick range. */
export type TickOutcome<Cursor> =
  | { readonly kind: "filled"; readonly cursor: Cursor; readonly resumeFrom: Cursor }
  | { readonly kind: "unfillable"; readonly reason: UnfillableReason };

/** A program's swap over ticks; `Cursor` is its position between two of them. */
export type TickSwap<State, Cursor extends object> = {
  readonly refusalBeforeSwap: (state: State, order: ExactIn) => UnfillableReason | null;
  readonly directionOf: (state: State, inputMint: Address) => Direction;
  /** The side that a sale in this direction pays into. */
  readonly soldSide: (state: State, direction: Direction) => TickSide;
  /** Null: the program refuses. */
  readonly begin: (state: State, direction: Direction, clock: Clock) => Cursor | null;
  /** Advances the cursor in place. */
  readonly swap: (order: TickOrder<State>, cursor: Cursor) => TickOutcome<Cursor>;
  readonly settle: (order: TickOrder<State>, cursor: Cursor) => TickQuote<State>;
};

/** The quotes of a program: of one order, and of ascending ones (`quoteInOneWalk`). */
export function tickQuotes<State, Cursor extends object>(program: TickSwap<State, Cursor>) {
  const quoteFrom = (state: State, order: ExactIn, resumeFrom: Cursor | null) => {
    const unchanged = (quote: TickQuote<State>) => ({ quote, resumeFrom });
    const refusal = program.refusalBeforeSwap(state, order);
    if (refusal !== null) return unchanged(unfillable(refusal));
    try {
      const direction = program.directionOf(state, order.inputMint);
      const { transferFee: schedule } = program.soldSide(state, direction);
      const amount = order.amountIn - transferFee(schedule, order.amountIn, order.clock.epoch);
      if (amount === 0n) return unchanged(unfillable("amount-zero"));
      const cursor = resumeFrom ?? program.begin(state, direction, order.clock);
      if (cursor === null) return unchanged(unfillable("refused"));
      const reached: TickOrder<State> = { state, order, amount, direction };
      const outcome = program.swap(reached, { ...cursor });
      if (outcome.kind === "unfillable") return unchanged(outcome);
      const quote = program.settle(reached, outcome.cursor);
      return { quote, resumeFrom: outcome.resumeFrom };
    } catch (error) {
      if (error instanceof MathError) return unchanged(unfillable("overflow"));
      throw error;
    }
  };
  return {
    quoteExactIn: (state: State, order: ExactIn): TickQuote<State> =>
      quoteFrom(state, order, null).quote,
    quoteAscending: (
      state: State,
      { inputMint, amountsIn, clock }: AscendingOrders,
    ): readonly (bigint | null)[] =>
      quoteInOneWalk<Cursor>(amountsIn, (amountIn, resumeFrom) =>
        quoteFrom(state, { inputMint, amountIn, clock }, resumeFrom),
      ),
  };
}

type AscendingOrders = Omit<ExactIn, "amountIn"> & { readonly amountsIn: readonly bigint[] };
