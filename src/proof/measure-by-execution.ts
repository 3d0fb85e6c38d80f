import type { Market } from "#src/measure/market/market.ts";
import { AppError } from "#src/platform/app-error.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { Address } from "#src/units/address.ts";
import type { VenueId } from "#src/venues/venue.ts";
import { ExecutedQuotes, executedMarket, QuotesMissing } from "./executed-market.ts";
import type { ProofGround } from "./prove-exit.ts";
import { NotExecuted, type Prover } from "./prover.ts";
import { VmError } from "./vm/vm-host.ts";

/** Sales executed for one answer at most: six sizes and the search of C10 in one pool take a dozen. */
const MAX_SALES = 400;
const MAX_WAITING = 64;

export type MeasureByExecutionDeps = {
  readonly prover: Pick<Prover, "quote">;
  /** The venues whose model does not pay what their programs do. */
  readonly venues: () => ReadonlySet<VenueId>;
};

/** Measures markets on amounts that the deployed programs paid, where the model of a venue is wrong. */
export class MeasureByExecution {
  readonly #deps: MeasureByExecutionDeps;
  /** One at a time: the VM is one thread. */
  readonly #queue = new TaskQueue({
    maxActive: 1,
    maxWaiting: MAX_WAITING,
    overloadedMessage: "Too many answers wait to be executed; try again in a moment.",
  });

  constructor(deps: MeasureByExecutionDeps) {
    this.#deps = deps;
  }

  venues(): ReadonlySet<VenueId> {
    return this.#deps.venues();
  }

  /**
   * What `measure` says of the market, with every amount in `venues()` executed. A pool in which no sale can be executed
   * counts as not priced: anybody can make one.
   *
   * @throws AppError overloaded where nothing could be executed, or too many wait; chain_unavailable
   */
  async run<Answer>(ground: ProofGround, measure: (market: Market) => Answer): Promise<Answer> {
    try {
      return await this.#queue.run(() => this.#settle(ground, measure));
    } catch (cause) {
      if (!(cause instanceof NotExecuted) && !(cause instanceof VmError)) throw cause;
      throw new AppError("overloaded", {
        publicMessage: `This answer has to be executed by the program, which failed: ${cause.message}.`,
        cause,
      });
    }
  }

  async #settle<Answer>(
    { market, ...ground }: ProofGround,
    measure: (market: Market) => Answer,
  ): Promise<Answer> {
    const venues = this.venues();
    const quotes = new ExecutedQuotes();
    const unexecuted = new Map<Address, string>();
    while (true) {
      const answer = ask(executedMarket(market, { venues, quotes, unexecuted }), measure);
      if (!("missing" in answer)) {
        const [reason] = unexecuted.values();
        // Where it is not known what any pool pays, the market is not known either.
        if (reason !== undefined && quotes.pools.isSubsetOf(unexecuted))
          throw new NotExecuted(reason);
        return answer.known;
      }
      const { missing } = answer;
      if (quotes.size + missing.length > MAX_SALES) throw new NotExecuted("too many sales");
      try {
        const outcomes = await this.#deps.prover.quote(missing, ground);
        for (const [index, outcome] of outcomes.entries()) {
          const sales = missing[index];
          if (sales !== undefined) quotes.add(sales, outcome);
        }
      } catch (cause) {
        if (!(cause instanceof NotExecuted) || cause.pool === null) throw cause;
        unexecuted.set(cause.pool, cause.message);
      }
    }
  }
}

function ask<Answer>(market: Market, measure: (market: Market) => Answer) {
  try {
    return { known: measure(market) };
  } catch (cause) {
    if (!(cause instanceof QuotesMissing)) throw cause;
    return { missing: cause.asked };
  }
}
