import { AbortWaiters } from "#src/platform/abort-waiters.ts";
import { AppError } from "#src/platform/app-error.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountsRead } from "../chain-source.ts";
import { RpcFailure } from "./rpc-failure.ts";

/** While a call is under way, reads that do not fill another call wait this long for further reads. */
const GATHER_MS = 40;

type Waiting = {
  readonly addresses: readonly Address[];
  readonly answer: PromiseWithResolvers<AccountsRead>;
  readonly sinceMs: number;
  /** Until this time the read waits for a call with room for it. Reads are put into a call in this order. */
  readonly patientUntilMs: number;
  /** Set by the read's timer, which may fire a little before `patientUntilMs` on the other clock. */
  isDue: boolean;
  /** Set once it is part of a call. */
  call: Call | null;
  isGivenUp: boolean;
};

/** Readers of one call. It is aborted when none of them wants its reply any more. */
type Call = { readonly abort: AbortController; readers: number };

export type MergedCall = {
  readonly addresses: readonly Address[];
  /** Whether the call has the accounts of a single read. */
  readonly isOneRead: boolean;
};

export type ReadMergerOptions = {
  /** Resolves when the provider's rate allows the next call; rejects if there is none any more. */
  readonly turn: () => Promise<void>;
  /** Reads these accounts in one call, whose turn has come. A call of several reads must not be divided. */
  readonly send: (call: MergedCall, signal: AbortSignal) => Promise<AccountsRead>;
  /** Whether a read is sent again after this failure and this waiting time. */
  readonly repeats: (error: unknown, waitedMs: number) => boolean;
  /** The most accounts that the node accepts in one call. */
  readonly batchSize: () => number;
  readonly maxActive: number;
  readonly maxWaiting: number;
  readonly overloadedMessage: string;
};

/**
 * Merges the account reads of all tokens: reads that wait for the provider's rate, or for an earlier call,
 * are sent together in one call. A read is divided only if it alone has more accounts than the node accepts;
 * otherwise all accounts of a read are of one slot.
 */
export class ReadMerger {
  readonly #options: ReadMergerOptions;
  readonly #waiting = new Set<Waiting>();
  readonly #waiters = new AbortWaiters();
  #active = 0;
  /** Calls that wait for their turn, with nothing in them yet. */
  #turning = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: ReadMergerOptions) {
    this.#options = options;
  }

  /**
   * @param addresses distinct, at most as many as the node accepts in one call
   * @param patienceMs how long the read waits to share a call with other reads before it is sent alone
   * @throws RpcFailure; AppError overloaded; the signal's reason
   */
  async read(
    addresses: readonly Address[],
    signal: AbortSignal | undefined,
    patienceMs = 0,
  ): Promise<AccountsRead> {
    signal?.throwIfAborted();
    const { maxWaiting, overloadedMessage } = this.#options;
    if (this.#waiting.size >= maxWaiting) {
      throw new AppError("overloaded", {
        publicMessage: overloadedMessage,
        context: { active: this.#active, waiting: this.#waiting.size },
      });
    }
    const read: Waiting = {
      addresses,
      answer: Promise.withResolvers(),
      sinceMs: performance.now(),
      patientUntilMs: performance.now() + patienceMs,
      isDue: patienceMs === 0,
      call: null,
      isGivenUp: false,
    };
    const giveUp = (): void => this.#giveUp(read, signal);
    const takeBack = this.#waiters.add(signal, giveUp);
    this.#waiting.add(read);
    // Reads of the same round of the event loop go together.
    setImmediate(() => this.#schedule());
    const patience = patienceMs === 0 ? null : this.#startPatience(read, patienceMs);
    try {
      return await read.answer.promise;
    } finally {
      takeBack();
      if (patience !== null) clearTimeout(patience);
    }
  }

  #startPatience(read: Waiting, patienceMs: number): NodeJS.Timeout {
    const end = (): void => {
      read.isDue = true;
      this.#schedule();
    };
    return setTimeout(end, patienceMs).unref();
  }

  #giveUp(read: Waiting, signal: AbortSignal | undefined): void {
    read.isGivenUp = true;
    this.#waiting.delete(read);
    if (read.call !== null && --read.call.readers === 0) read.call.abort.abort(signal?.reason);
    read.answer.reject(signal?.reason);
  }

  #schedule(): void {
    while (this.#turning === 0 && this.#active < this.#options.maxActive) {
      const isFull = this.#fillsCall();
      // Reads wait for other reads, unless they fill a call.
      if (!isFull && !this.#isCallDue()) return;
      const waitMs = this.#active === 0 || isFull ? 0 : this.#gatherMs();
      if (waitMs > 0) {
        this.#timer ??= setTimeout(() => {
          this.#timer = null;
          this.#schedule();
        }, waitMs);
        return;
      }
      void this.#begin();
    }
  }

  #isCallDue(): boolean {
    return this.#waiting.values().some(({ isDue }) => isDue);
  }

  #gatherMs(): number {
    const oldest = this.#waiting.values().find(({ isDue }) => isDue);
    return oldest === undefined ? 0 : GATHER_MS - (performance.now() - oldest.sinceMs);
  }

  #fillsCall(): boolean {
    const size = this.#options.batchSize();
    const distinct = new Set<Address>();
    for (const { addresses } of this.#waiting) {
      for (const address of addresses) distinct.add(address);
      if (distinct.size >= size) return true;
    }
    return false;
  }

  async #begin(): Promise<void> {
    this.#active++;
    this.#turning++;
    const failure = await this.#options.turn().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    this.#turning--;
    const reads = failure === null ? this.#take() : [...this.#waiting];
    if (failure === null) {
      this.#schedule();
      if (reads.length > 0) await this.#send(reads);
    } else this.#fail(reads, failure.error);
    this.#active--;
    this.#schedule();
  }

  #fail(reads: readonly Waiting[], error: unknown): void {
    for (const read of reads) {
      this.#waiting.delete(read);
      read.answer.reject(error);
    }
  }

  /** The oldest read, and all others that fit into the same call. */
  #take(): readonly Waiting[] {
    const size = this.#options.batchSize();
    const taken: Waiting[] = [];
    const addresses = new Set<Address>();
    // The most urgent reads first; the others fill the call.
    const byUrgency = [...this.#waiting].toSorted((a, b) => a.patientUntilMs - b.patientUntilMs);
    for (const read of byUrgency) {
      const added = read.addresses.filter((address) => !addresses.has(address));
      if (taken.length > 0 && addresses.size + added.length > size) continue;
      for (const address of added) addresses.add(address);
      this.#waiting.delete(read);
      taken.push(read);
    }
    return taken;
  }

  async #send(reads: readonly Waiting[]): Promise<void> {
    const call: Call = { abort: new AbortController(), readers: reads.length };
    for (const read of reads) read.call = call;
    const addresses = [...new Set(reads.flatMap((read) => read.addresses))];
    const isOneRead = reads.length === 1;
    try {
      const merged = { addresses, isOneRead };
      const { slot, accounts } = await this.#options.send(merged, call.abort.signal);
      for (const { addresses: asked, answer } of reads) {
        const own = asked.flatMap((address) => {
          const account = accounts.get(address);
          return account === undefined ? [] : [[address, account] as const];
        });
        answer.resolve({ slot, accounts: new Map(own) });
      }
    } catch (error) {
      const isWanted = (read: Waiting): boolean => !call.abort.signal.aborted && !read.isGivenUp;
      const wanted = reads.filter(isWanted);
      // More accounts were merged than the node accepts.
      if (!isOneRead && addresses.length > this.#options.batchSize()) this.#sendAgain(wanted);
      else if (!isOneRead && isTooLarge(error)) await this.#sendAlone(wanted);
      else for (const read of wanted) this.#repeat(read, error);
    }
  }

  #repeat(read: Waiting, error: unknown): void {
    if (this.#options.repeats(error, performance.now() - read.sinceMs)) this.#sendAgain([read]);
    else read.answer.reject(error);
  }

  /** Puts the reads back, to be merged with those that wait now. */
  #sendAgain(reads: readonly Waiting[]): void {
    for (const read of reads) {
      read.call = null;
      this.#waiting.add(read);
    }
  }

  /** One token's huge account must not fail the reads of the others. */
  async #sendAlone(reads: readonly Waiting[]): Promise<void> {
    for (const read of reads) {
      try {
        await this.#options.turn();
      } catch (error) {
        read.answer.reject(error);
        continue;
      }
      await this.#send([read]);
    }
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RpcFailure && error.failure.kind === "too-large";
}
