import type { AccountsRead, ChainSource } from "#src/chain/chain-source.ts";
import { chunksOf } from "#src/platform/chunks.ts";
import type { WallClock } from "#src/platform/clock.ts";
import type { Address } from "#src/units/address.ts";
import { CLOCK_SYSVAR } from "#src/units/known-addresses.ts";
import { applyUpdate } from "./apply-update.ts";
import { forEachUse } from "./followed-accounts.ts";
import type { LiveState } from "./live-state.ts";
import { decodeFromRead } from "./refresh-pools.ts";
import { READ_CHUNK } from "./schedule.ts";

const MAX_AT_ONCE = 8;
/** No read starts for this time after a failed read. */
const PAUSE_AFTER_FAILURE_MS = 1_000;

export type ReadsDeps = {
  readonly source: ChainSource;
  readonly state: LiveState;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
  readonly onFailure: (cause: unknown) => void;
};

/**
 * Reads followed accounts and applies the results. `pump` sends queued reads: at most eight at once,
 * never the same address twice at a time, and addresses that an answer waits for first. Not a
 * TaskQueue: a chunk is composed only when it is sent. A failed chunk is queued again.
 */
export class AccountReads {
  readonly #deps: ReadsDeps;
  readonly #first = new Set<Address>();
  readonly #queued = new Set<Address>();
  readonly #reading = new Set<Address>();
  readonly #inFlight = new Set<Promise<void>>();
  #pausedUntilMs = 0;
  #failingSinceMs: number | null = null;

  constructor(deps: ReadsDeps) {
    this.#deps = deps;
  }

  /** Time from which every read has failed; null: reads succeed. */
  get failingSinceMs(): number | null {
    return this.#failingSinceMs;
  }

  /** Queues addresses before those of `queue`: an answer waits for them. */
  queueFirst(addresses: Iterable<Address>): void {
    for (const address of addresses) {
      this.#queued.delete(address);
      this.#first.add(address);
    }
  }

  /** Queues addresses, even if a read of them is in progress. */
  queue(addresses: Iterable<Address>): void {
    for (const address of addresses) if (!this.#first.has(address)) this.#queued.add(address);
  }

  /** Queues addresses, unless a read of them is in progress. */
  queueOnce(addresses: Iterable<Address>): void {
    for (const address of addresses) if (!this.#reading.has(address)) this.queue([address]);
  }

  /** Sends queued reads up to the limits. */
  pump(): void {
    if (this.#deps.clock.nowMs() < this.#pausedUntilMs) return;
    while (this.#inFlight.size < MAX_AT_ONCE) {
      const isAwaited = this.#first.size > 0;
      const chunk = this.#nextChunk();
      if (chunk.length === 0) return;
      const sent = this.#send(chunk, isAwaited).finally(() => this.#inFlight.delete(sent));
      this.#inFlight.add(sent);
    }
  }

  /**
   * Reads these accounts now and applies them.
   *
   * @throws AppError chain_unavailable if the node can't be reached in time
   */
  async readNow(addresses: Iterable<Address>, signal: AbortSignal): Promise<void> {
    const wanted = [...addresses];
    for (const queue of [this.#first, this.#queued])
      for (const address of wanted) queue.delete(address);
    await Promise.all(chunksOf(wanted, READ_CHUNK).map((chunk) => this.#read(chunk, signal)));
  }

  /** Resolves when no read is in progress. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #nextChunk(): readonly Address[] {
    const chunk: Address[] = [];
    for (const queue of [this.#first, this.#queued]) {
      for (const address of queue) {
        if (chunk.length === READ_CHUNK) return chunk;
        if (this.#reading.has(address)) continue;
        queue.delete(address);
        chunk.push(address);
      }
    }
    return chunk;
  }

  /** A chunk that no answer waits for may share a call with other reads. */
  async #send(chunk: readonly Address[], isAwaited: boolean): Promise<void> {
    for (const address of chunk) this.#reading.add(address);
    try {
      await this.#read(chunk, this.#deps.signal, isAwaited);
    } catch (cause) {
      this.queue(chunk);
      this.#pausedUntilMs = this.#deps.clock.nowMs() + PAUSE_AFTER_FAILURE_MS;
      this.#failingSinceMs ??= this.#deps.clock.nowMs();
      this.#deps.onFailure(cause);
    } finally {
      for (const address of chunk) this.#reading.delete(address);
    }
  }

  async #read(chunk: readonly Address[], signal: AbortSignal, isAwaited = true): Promise<void> {
    const { source } = this.#deps;
    const addresses = [...chunk, CLOCK_SYSVAR];
    const read = isAwaited
      ? await source.readAccounts(addresses, signal)
      : await (source.readPatiently?.(addresses, signal) ?? source.readAccounts(addresses, signal));
    this.#failingSinceMs = null;
    applyRead(this.#deps.state, chunk, read, this.#deps.clock.nowMs());
  }
}

/** Applies one read; addresses that the node did not return stay unchanged. */
export function applyRead(
  state: LiveState,
  asked: readonly Address[],
  read: AccountsRead,
  nowMs: number,
): void {
  for (const [address, account] of read.accounts) {
    const update = { address, account, slot: account?.slot ?? read.slot };
    applyUpdate(state, update, nowMs, { isConfirmed: true });
  }
  decodeFromRead(state, read, nowMs);
  for (const address of asked) {
    const followed = state.accounts.get(address);
    if (followed === undefined || followed.wasAsked) continue;
    followed.wasAsked = true;
    forEachUse(followed, (use) => {
      if (use.kind === "pool-need") state.dirtyPools.add(use.pool);
    });
  }
}
