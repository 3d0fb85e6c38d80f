import type { Address } from "#src/units/address.ts";
import type { AccountSet } from "#src/venues/account-set.ts";
import type { FastQuoter } from "#src/venues/fast-quoter.ts";
import type { Clock, Venue } from "#src/venues/venue.ts";
import type { Contender } from "./scenario.ts";

/** A pool, what is sold in it, and the amounts, ascending. */
export type Sale<State> = {
  readonly venue: Venue<State>;
  readonly pool: Address;
  readonly known: AccountSet;
  readonly inputMint: Address;
  readonly amounts: readonly bigint[];
  readonly clock: Clock;
};

/** What a token is worth 0.5, 1, 2, 5, 10 and 50 SOL at a price of `baseUnits` per `lamports`. */
export function standardAmounts(baseUnits: bigint, lamports: bigint): readonly bigint[] {
  const sizes = [5n, 10n, 20n, 50n, 100n, 500n].map((tenths) => tenths * 100_000_000n);
  return sizes.map((size) => (size * baseUnits) / lamports);
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

/** Bytes to six amounts by the fast path; every other run finds the accounts of `moved`. */
export function fastFromBytes<State>(sale: Sale<State>, moved: AccountSet): Contender {
  const { fast, amountsIn, amountsOut } = opened(sale);
  let hasMoved = false;
  const quote = (known: AccountSet) => {
    if (!fast.refresh(known)) throw new Error("the fast path fell back");
    fast.quoteAscending(amountsIn, amountsOut, sale.clock);
  };
  return {
    run: () => {
      hasMoved = !hasMoved;
      quote(hasMoved ? moved : sale.known);
    },
    outputs: () => {
      quote(sale.known);
      return Array.from(amountsOut, String);
    },
  };
}

/** The readable reference on a decoded pool. */
export function referenceOnceRead<State>(sale: Sale<State>): Contender {
  const { venue, pool, known, inputMint, amounts, clock } = sale;
  const decoded = venue.decode(pool, known);
  if (decoded.kind !== "pool") throw new Error(decoded.detail);
  const quoteAll = () =>
    amounts.map((amountIn) => {
      const quote = venue.quoteExactIn(decoded.state, { inputMint, amountIn, clock });
      return quote.kind === "filled" ? String(quote.amountOut) : quote.reason;
    });
  return { run: () => void quoteAll(), outputs: quoteAll };
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
