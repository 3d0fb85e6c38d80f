import type { ChainSource } from "#src/chain/chain-source.ts";
import type { Address } from "#src/units/address.ts";
import type { Account, AccountSet } from "#src/venues/account-set.ts";
import { CHAIN_SALES, VENUE_SALES } from "#src/venues/all-sales.ts";
import type { Clock, VenueId } from "#src/venues/venue.ts";
import type { SaleHop, VenueSale } from "#src/venues/venue-sale.ts";
import { type PreparedSale, prepareSale, type SaleOrder } from "./prepare-sale.ts";
import type { LoadedProgram, Programs } from "./programs.ts";
import type { VmHost } from "./vm/vm-host.ts";
import type { VmAccount, VmResult } from "./vm/vm-messages.ts";

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

/** The accounts that an answer was computed from. */
export type Ground = { readonly accounts: AccountSet; readonly clock: Clock };

export type ProverDeps = {
  readonly programs: Pick<Programs, "load">;
  readonly vm: Pick<VmHost, "execute">;
  /** Reads what a sale names and a quote does not need. */
  readonly chain: Pick<ChainSource, "readAccounts">;
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
      if ("unproved" in opened) unproved.set(order, { ...order, ...UNPROVED, ...opened });
      else ready.push({ order, ...opened });
    }
    const results =
      ready.length === 0
        ? []
        : await this.#deps.vm.execute({
            accounts: unique(ready.flatMap(({ sale }) => sale.accounts)),
            steps: ready.map(({ sale }) => sale.step),
            clock: ground.clock,
          });
    const proved = new Map(
      ready.map(({ order, program, sale }, index) => [
        order,
        proofOf({ order, program, sale, result: results[index] }),
      ]),
    );
    return orders.flatMap((order) => proved.get(order) ?? unproved.get(order) ?? []);
  }

  async #open(
    order: ProofOrder,
    known: GrowingAccounts,
  ): Promise<
    | { readonly program: LoadedProgram; readonly sale: ReadySale }
    | { readonly program: LoadedProgram | null; readonly unproved: string }
  > {
    const sale = saleOf(order);
    if (sale === null) return { program: null, unproved: "no sale of this venue is known" };
    const programs: LoadedProgram[] = [];
    for (const programId of sale.programs) {
      const loaded = await this.#deps.programs.load(programId);
      if (loaded.kind === "unavailable") {
        return { program: programs[0] ?? null, unproved: `${programId}: ${loaded.reason}` };
      }
      programs.push(loaded.program);
    }
    const [program] = programs;
    if (program === undefined) return { program: null, unproved: "the venue has no program" };
    const prepared = await this.#prepare(sale, order, known);
    return prepared.kind === "prepared"
      ? { program, sale: prepared }
      : { program, unproved: prepared.reason };
  }

  async #prepare(
    sale: BuildsSale,
    order: ProofOrder,
    known: GrowingAccounts,
  ): Promise<ReadySale | { readonly kind: "unbuildable"; readonly reason: string }> {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const prepared = prepareSale(sale, order, known);
      if (prepared.kind !== "needs") return prepared;
      const { chain, signal } = this.#deps;
      known.add((await chain.readAccounts(prepared.addresses, signal)).accounts);
    }
    return { kind: "unbuildable", reason: "the node left out accounts that the sale names" };
  }
}

type BuildsSale = Pick<VenueSale, "programs" | "build">;

function saleOf({ venue, hops }: ProofOrder): BuildsSale | null {
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
  const executed: SaleOutcome =
    result.kind === "executed"
      ? { kind: "paid", amount: result[sale.paidIn] }
      : { kind: "refused", reason: result.reason };
  const { computeUnits } = result;
  if (order.modelled.kind === "paid" && isOfFramework(executed)) {
    const unproved = `the program did not take the instruction: ${executed.reason}`;
    return { ...order, ...UNPROVED, program, unproved };
  }
  const isEqual = isSame(order.modelled, executed);
  return { ...order, program, executed, unproved: null, isEqual, computeUnits };
}

/**
 * Errors that the Anchor framework raises about accounts and data before the program's own code: our
 * instruction is wrong then, and nothing is known of the sale. A program's own errors begin at 6000.
 */
function isOfFramework(
  executed: SaleOutcome,
): executed is Extract<SaleOutcome, { readonly kind: "refused" }> {
  if (executed.kind === "paid") return false;
  const code = Number(/^program error (\d+)/.exec(executed.reason)?.[1] ?? 0);
  return code >= 100 && code < 6_000;
}

/** Two refusals are the same whatever their words. */
export function isSame(modelled: SaleOutcome, executed: SaleOutcome): boolean {
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
