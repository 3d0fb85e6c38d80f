import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { CHAIN_SALES, VENUE_SALES } from "#src/venues/all-sales.ts";
import type { QuotablePool } from "#src/venues/quotable-pool.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import type { SaleHop, VenueSale } from "#src/venues/venue-sale.ts";
import type { KeptAccounts } from "./kept-accounts.ts";
import { type PreparedSale, prepareSale, type SaleOrder } from "./prepare-sale.ts";
import type { LoadedProgram, Programs } from "./programs.ts";
import type { VmHost } from "./vm/vm-host.ts";
import type { VmAccount, VmResult, VmStep } from "./vm/vm-messages.ts";

/** Reads of further accounts that a sale names, at most so many times for one sale. */
const MAX_READS = 4;

/** What a sale pays, in base units of the output, or why it pays nothing. */
export type SaleOutcome =
  | { readonly kind: "paid"; readonly amount: bigint }
  | { readonly kind: "refused"; readonly reason: string };

/** A sale in one pool, with what the model says of it. */
export type ProofOrder = SaleOrder & {
  readonly venue: VenueId;
  readonly modelled: SaleOutcome;
  /** The pools that one instruction sells through, the order's own first; absent: it sells in one pool. */
  readonly hops?: readonly SaleHop[];
};

/** The sale of an amount in a pool, with what our model pays for it. */
export function orderIn(pool: QuotablePool, amountIn: bigint): ProofOrder {
  const sale = pool.sell(amountIn);
  return {
    venue: pool.venue,
    pool: pool.address,
    inputMint: pool.baseMint,
    outputMint: pool.quoteMint,
    amountIn,
    modelled:
      sale.kind === "filled"
        ? { kind: "paid", amount: sale.amountOut }
        : { kind: "refused", reason: sale.reason },
  };
}

export type SaleProof = ProofOrder & {
  /** The venue's own program; null: it could not be loaded. */
  readonly program: LoadedProgram | null;
  /** Null: nothing was executed, for the reason in `unproved`. */
  readonly executed: SaleOutcome | null;
  readonly unproved: string | null;
  /** Null where nothing was executed. */
  readonly isEqual: boolean | null;
  readonly computeUnits: bigint;
};

/** Sales one after the other in one pool; the last one's payment is asked for. */
export type SalesInRow = Omit<SaleOrder, "amountIn"> & {
  readonly venue: VenueId;
  readonly amountsIn: readonly bigint[];
};

/** A sale could not be executed, so nothing is known of what it pays. The message says why. */
export class NotExecuted extends Error {
  /** No sale of any amount can be executed in this pool, whatever becomes of its program; null: not due to a pool. */
  readonly pool: Address | null;

  constructor(message: string, pool: Address | null = null) {
    super(message);
    this.pool = pool;
  }
}

/** The accounts that an answer was computed from. */
export type Ground = { readonly accounts: AccountSet; readonly clock: Clock };

export type ProverDeps = {
  readonly programs: Pick<Programs, "load">;
  readonly vm: Pick<VmHost, "execute">;
  /** Reads what a sale names and a quote does not need. */
  readonly chain: Pick<KeptAccounts, "readAccounts">;
  readonly signal: AbortSignal;
};

/** Executes sales by the deployed programs and compares them with the model. */
export class Prover {
  readonly #deps: ProverDeps;

  constructor(deps: ProverDeps) {
    this.#deps = deps;
  }

  /** Whether a sale of this venue can be built. */
  static covers(venue: VenueId): boolean {
    return VENUE_SALES.some((sale) => sale.venue === venue);
  }

  /**
   * One after the other on the same accounts, so that a sale finds a pool as the ones before left it.
   *
   * @throws VmError; AppError chain_unavailable
   */
  async prove(orders: readonly ProofOrder[], ground: Ground): Promise<readonly SaleProof[]> {
    const known = new GrowingAccounts(ground.accounts);
    const ready: { order: ProofOrder; program: LoadedProgram; sale: ReadySale }[] = [];
    const unproved = new Map<ProofOrder, SaleProof>();
    for (const order of orders) {
      const opened = await this.#open(order, known);
      if ("unproved" in opened) {
        const { program, unproved: reason } = opened;
        unproved.set(order, { ...order, ...UNPROVED, program, unproved: reason });
      } else ready.push({ order, ...opened });
    }
    const steps = ready.map(({ sale }) => sale.step);
    const results = await this.#run(ready, steps, ground.clock);
    const proved = new Map(
      ready.map(({ order, program, sale }, index) => [
        order,
        proofOf({ order, program, sale, result: results[index] }),
      ]),
    );
    return orders.flatMap((order) => proved.get(order) ?? unproved.get(order) ?? []);
  }

  /**
   * What the programs pay for each of these sales, none of which finds what another one changed.
   *
   * @throws NotExecuted; VmError; AppError chain_unavailable
   */
  async quote(asked: readonly SalesInRow[], ground: Ground): Promise<readonly SaleOutcome[]> {
    const known = new GrowingAccounts(ground.accounts);
    const ready: { readonly sale: ReadySale }[] = [];
    const steps: VmStep[] = [];
    const ends: { readonly pool: Address; readonly step: number; readonly refusal?: string }[] = [];
    for (const { amountsIn, ...pool } of asked) {
      let refusal: string | undefined;
      for (const [place, amountIn] of amountsIn.entries()) {
        const opened = await this.#open({ ...pool, amountIn }, known);
        if ("unproved" in opened) {
          if (opened.dueTo !== "amount")
            throw new NotExecuted(opened.unproved, opened.dueTo === "pool" ? pool.pool : null);
          refusal = opened.unproved;
          break;
        }
        ready.push(opened);
        steps.push({ ...opened.sale.step, startsOver: place === 0 });
      }
      const end = { pool: pool.pool, step: steps.length - 1 };
      ends.push(refusal === undefined ? end : { ...end, refusal });
    }
    const results = await this.#run(ready, steps, ground.clock);
    return ends.map(({ pool, step, refusal }) => {
      if (refusal !== undefined) return { kind: "refused", reason: refusal };
      const [sale, result] = [ready[step]?.sale, results[step]];
      if (sale === undefined || result === undefined)
        throw new NotExecuted("the VM gave no result");
      const executed = outcomeOf(sale, result);
      if (isNotTaken(executed, sale)) throw new NotExecuted(notTakenText(executed), pool);
      return executed;
    });
  }

  async #run(
    ready: readonly { readonly sale: ReadySale }[],
    steps: readonly VmStep[],
    clock: Clock,
  ): Promise<readonly VmResult[]> {
    if (steps.length === 0) return [];
    const accounts = unique(ready.flatMap(({ sale }) => sale.accounts));
    return this.#deps.vm.execute({ accounts, steps, clock });
  }

  async #open(
    order: OpenedOrder,
    known: GrowingAccounts,
  ): Promise<{ readonly program: LoadedProgram; readonly sale: ReadySale } | NotOpened> {
    const dueTo = null;
    const sale = saleOf(order);
    if (sale === null) return { program: null, dueTo, unproved: "no sale of this venue is known" };
    const programs: LoadedProgram[] = [];
    for (const programId of sale.programs) {
      const loaded = await this.#deps.programs.load(programId);
      if (loaded.kind === "unavailable") {
        const unproved = `${programId}: ${loaded.reason}`;
        return { program: programs[0] ?? null, dueTo, unproved };
      }
      programs.push(loaded.program);
    }
    const [program] = programs;
    if (program === undefined)
      return { program: null, dueTo, unproved: "the venue has no program" };
    const prepared = await this.#prepare(sale, order, known);
    return prepared.kind === "prepared"
      ? { program, sale: prepared }
      : { program, dueTo: DUE_TO[prepared.kind], unproved: prepared.reason };
  }

  async #prepare(
    sale: BuildsSale,
    order: OpenedOrder,
    known: GrowingAccounts,
  ): Promise<ReadySale | NotReady> {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const prepared = prepareSale(sale, order, known);
      if (prepared.kind !== "needs") return prepared;
      const { chain, signal } = this.#deps;
      known.add((await chain.readAccounts(prepared.addresses, signal)).accounts);
    }
    return { kind: "unread", reason: "the node left out accounts that the sale names" };
  }
}

type NotReady = {
  readonly kind: keyof typeof DUE_TO;
  readonly reason: string;
};

const DUE_TO = { unbuildable: "pool", oversized: "amount", unread: null } as const;

type NotOpened = {
  readonly program: LoadedProgram | null;
  readonly unproved: string;
  /** No sale of any amount can be built in the pool, or none of this amount, whatever becomes of the program. */
  readonly dueTo: "pool" | "amount" | null;
};

type BuildsSale = Pick<VenueSale, "programs" | "build">;

type OpenedOrder = Omit<ProofOrder, "modelled">;

function saleOf({ venue, hops }: OpenedOrder): BuildsSale | null {
  if (hops === undefined) return VENUE_SALES.find((sale) => sale.venue === venue) ?? null;
  const [chain] = CHAIN_SALES;
  if (chain === undefined) return null;
  return { programs: chain.programs, build: (request) => chain.build({ ...request, hops }) };
}

type ReadySale = Extract<PreparedSale, { readonly kind: "prepared" }>;

const UNPROVED = { executed: null, isEqual: null, computeUnits: 0n } as const;

function proofOf({
  order,
  program,
  sale,
  result,
}: {
  readonly order: ProofOrder;
  readonly program: LoadedProgram;
  readonly sale: ReadySale;
  readonly result: VmResult | undefined;
}): SaleProof {
  if (result === undefined) {
    return { ...order, ...UNPROVED, program, unproved: "the VM gave no result" };
  }
  const executed = outcomeOf(sale, result);
  const { computeUnits } = result;
  if (isNotTaken(executed, sale)) {
    return { ...order, ...UNPROVED, program, unproved: notTakenText(executed) };
  }
  const isEqual = isSame(order.modelled, executed);
  return { ...order, program, executed, unproved: null, isEqual, computeUnits };
}

function outcomeOf(sale: ReadySale, result: VmResult): SaleOutcome {
  return result.kind === "executed"
    ? { kind: "paid", amount: result[sale.paidIn] }
    : { kind: "refused", reason: result.reason };
}

function notTakenText({ reason }: { readonly reason: string }): string {
  return `the program did not take the instruction: ${reason}`;
}

/**
 * Errors that the Anchor framework raises about accounts and data before the program's own code, whose errors begin
 * at 6000, and the program's own error that it takes another instruction: our instruction is wrong then, and nothing
 * is known of the sale.
 */
function isNotTaken(
  executed: SaleOutcome,
  { notTaken }: Pick<ReadySale, "notTaken">,
): executed is Extract<SaleOutcome, { readonly kind: "refused" }> {
  if (executed.kind === "paid") return false;
  const code = Number(/^program error (\d+)/.exec(executed.reason)?.[1] ?? 0);
  return (code >= 100 && code < 6_000) || code === notTaken;
}

/** Two refusals are the same whatever their words. */
function isSame(modelled: SaleOutcome, executed: SaleOutcome): boolean {
  if (modelled.kind === "refused" || executed.kind === "refused") {
    return modelled.kind === executed.kind;
  }
  return modelled.amount === executed.amount;
}

function unique(accounts: readonly VmAccount[]): readonly VmAccount[] {
  return [...new Map(accounts.map((entry) => [entry.address, entry])).values()];
}

/** The accounts of an answer, and those that were read since. */
class GrowingAccounts implements AccountSet {
  readonly #first: AccountSet;
  readonly #read = new Map<Address, Account | null>();

  constructor(first: AccountSet) {
    this.#first = first;
  }

  get(address: Address): Account | null | undefined {
    const found = this.#first.get(address);
    return found === undefined ? this.#read.get(address) : found;
  }

  add(accounts: ReadonlyMap<Address, Account | null>): void {
    for (const [address, account] of accounts) this.#read.set(address, account);
  }
}
