import { STANDARD_SIZE_LAMPORTS, STANDARD_SIZES } from "#src/measure/assessment.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";
import type { Contender } from "./scenario.ts";

/** Ascending amounts of one token to sell in one pool. */
export type Sale<State> = {
  readonly venue: Venue<State>;
  readonly pool: Address;
  readonly known: AccountSet;
  readonly inputMint: Address;
  readonly amounts: readonly bigint[];
  readonly clock: Clock;
};

/** Base units worth each standard size at a price of `baseUnits` per `lamports`. */
export function standardAmounts(baseUnits: bigint, lamports: bigint): readonly bigint[] {
  return STANDARD_SIZES.map((size) => (STANDARD_SIZE_LAMPORTS[size] * baseUnits) / lamports);
}

/** Six amounts by the fast path, from a pool that it has read. */
export function fastOnceRead<State>(sale: Sale<State>): Contender {
  const { fast, amountsIn, amountsOut } = opened(sale);
  const run = () => fast.quoteAscending(amountsIn, amountsOut, sale.clock);
  return {
    run,
    outputs: () => {
      run();
      return Array.from(amountsOut, String);
    },
  };
}

/** Bytes to six amounts by the reference; every other run reads the accounts of `moved`. */
export function referenceFromBytes<State>(sale: Sale<State>, moved: AccountSet): Contender {
  let hasMoved = false;
  return {
    run: () => {
      hasMoved = !hasMoved;
      referenceQuotes(sale, hasMoved ? moved : sale.known);
    },
    outputs: () => referenceQuotes(sale, sale.known),
  };
}

/** Six amounts by the reference, from a pool that it has decoded. */
export function referenceOnceRead<State>(sale: Sale<State>): Contender {
  const state = decoded(sale, sale.known);
  return answering(() => quoteEach(sale, state));
}

function referenceQuotes<State>(sale: Sale<State>, known: AccountSet): readonly string[] {
  return quoteEach(sale, decoded(sale, known));
}

function decoded<State>({ venue, pool }: Sale<State>, known: AccountSet): State {
  const result = venue.decode(pool, known);
  if (result.kind !== "pool") throw new Error(result.detail);
  return result.state;
}

function quoteEach<State>(
  { venue, inputMint, amounts, clock }: Sale<State>,
  state: State,
): readonly string[] {
  return amounts.map((amountIn) => {
    const quote = venue.quoteExactIn(state, { inputMint, amountIn, clock });
    return quote.kind === "filled" ? String(quote.amountOut) : quote.reason;
  });
}

/** A contender that answers all amounts in one call. */
export function answering(quoteAll: () => readonly string[]): Contender {
  return { run: () => void quoteAll(), outputs: quoteAll };
}

type Opened = {
  readonly fast: FastQuoter;
  readonly amountsIn: Float64Array;
  readonly amountsOut: Float64Array;
};

function opened<State>({ venue, pool, known, inputMint, amounts }: Sale<State>): Opened {
  const fast = venue.openFast?.(pool, known, inputMint) ?? null;
  if (fast === null) throw new Error("the fast path did not open");
  return {
    fast,
    amountsIn: Float64Array.from(amounts, Number),
    amountsOut: new Float64Array(amounts.length),
  };
}
