import type { Market, UnpricedPool } from "#src/measure/market/market.ts";
import type { Address } from "#src/units/address.ts";
import type { QuotablePool, Sale } from "#src/venues/quotable-pool.ts";
import type { VenueId } from "#src/venues/venue.ts";
import type { SaleOutcome, SalesInRow } from "./prover.ts";

const U64_LIMIT = 1n << 64n;
/** Basis points of the price's fall: all that selling can take out. */
const ALL = 10_000;
const REFUSED: Sale = { kind: "unfillable", reason: "refused" };

/**
 * Thrown out of a measurement that asks for sales which were not executed yet: they are executed, and
 * the measurement starts again. So measuring stays synchronous and pure.
 */
export class QuotesMissing extends Error {
  readonly asked: readonly SalesInRow[];

  constructor(asked: readonly SalesInRow[]) {
    super("sales are not executed yet");
    this.asked = asked;
  }
}

/** What the programs paid for sales on one state of the chain. */
export class ExecutedQuotes {
  readonly #outcomes = new Map<string, SaleOutcome>();
  readonly #pools = new Set<Address>();

  get size(): number {
    return this.#outcomes.size;
  }

  /** The pools of which something was executed. */
  get pools(): ReadonlySet<Address> {
    return this.#pools;
  }

  get(sales: SalesInRow): SaleOutcome | undefined {
    return this.#outcomes.get(keyOf(sales));
  }

  add(sales: SalesInRow, outcome: SaleOutcome): void {
    this.#outcomes.set(keyOf(sales), outcome);
    this.#pools.add(sales.pool);
  }
}

function keyOf({ pool, inputMint, amountsIn }: SalesInRow): string {
  return `${pool} ${inputMint} ${amountsIn.join(" ")}`;
}

/** How sales are answered: those in pools of these venues from `quotes`. */
export type ExecutedSales = {
  readonly venues: ReadonlySet<VenueId>;
  readonly quotes: ExecutedQuotes;
  /** Pools of these venues in which no sale can be executed, and why: their model is wrong, so they are not priced. */
  readonly unexecuted: ReadonlyMap<Address, string>;
};

/** The market with its sales executed. Its measurement @throws QuotesMissing */
export function executedMarket(
  market: Market,
  { venues, quotes, unexecuted }: ExecutedSales,
): Market {
  const executed = (pools: readonly QuotablePool[]): readonly QuotablePool[] =>
    pools
      .filter(({ address }) => !unexecuted.has(address))
      .map((pool) => (venues.has(pool.venue) ? executedPool(pool, quotes, []) : pool));
  const unpriced = market.pools.flatMap((pool) => {
    const reason = unexecuted.get(pool.address);
    return reason === undefined ? [] : [unpricedPool(pool, reason)];
  });
  return {
    ...market,
    pools: executed(market.pools),
    hopPools: executed(market.hopPools),
    unpriced: [...market.unpriced, ...unpriced],
    executedVenues: venues,
  };
}

function unpricedPool(pool: QuotablePool, detail: string): UnpricedPool {
  const { venue, family, kind, address, quoteMint } = pool;
  const quoteHeld = pool.reachable(ALL);
  return { venue, family, kind, address, reason: "unsupported", detail, quoteHeld, quoteMint };
}

/**
 * State, spot price, reach and the displayed fee are those of the decoded accounts; every amount that a
 * sale pays is executed. Unknown, because nothing executes them: purchases, the pool after a withdrawal,
 * and sales through several pools in one instruction, so that chains are sold hop by hop.
 *
 * @param sold what was sold in this pool before
 */
function executedPool(
  pool: QuotablePool,
  quotes: ExecutedQuotes,
  sold: readonly bigint[],
): QuotablePool {
  const { chain: _chain, ...state } = pool;
  const salesOf = (amountIn: bigint): SalesInRow => ({
    venue: pool.venue,
    pool: pool.address,
    inputMint: pool.baseMint,
    outputMint: pool.quoteMint,
    amountsIn: [...sold, amountIn],
  });
  const paidFor = (amountsIn: readonly bigint[]): readonly (bigint | null)[] => {
    const known = amountsIn.map((amountIn) =>
      amountIn <= 0n || amountIn >= U64_LIMIT ? null : quotes.get(salesOf(amountIn)),
    );
    if (known.includes(undefined)) {
      const missing = amountsIn.filter((_, index) => known[index] === undefined);
      throw new QuotesMissing(missing.map(salesOf));
    }
    return known.map((outcome) => (outcome?.kind === "paid" ? outcome.amount : null));
  };
  return {
    ...state,
    quote: (amountIn) => paidFor([amountIn])[0] ?? null,
    quoteAscending: paidFor,
    sell(amountIn) {
      const amountOut = paidFor([amountIn])[0] ?? null;
      if (amountOut === null) return REFUSED;
      const after = executedPool(pool, quotes, [...sold, amountIn]);
      return { kind: "filled", amountOut, after };
    },
    buy: () => REFUSED,
    withdraw: () => null,
  };
}
