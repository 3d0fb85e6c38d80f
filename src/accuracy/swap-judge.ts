import type { Following, ObservedTransaction, TransactionSource } from "#src/chain/chain-source.ts";
import { BoundedSet } from "#src/platform/bounded-map.ts";
import { MS_PER_MINUTE, type WallClock } from "#src/platform/clock.ts";
import { TaskQueue } from "#src/platform/task-queue.ts";
import type { PoolRef } from "#src/track/pools/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import { compareBigints } from "#src/units/integer.ts";
import { SWAP_READERS } from "#src/venues/all.ts";
import type { AccountVersions } from "./account-versions.ts";
import {
  type Judgement,
  judgeSlot,
  type SlotEntry,
  skipSlot,
  type WatchedPool,
} from "./judge-slot.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import { restAfter } from "./pass-rest.ts";
import { parseProgramLog } from "./program-log.ts";
import { poolsInLog, readTransaction, type TransactionReading } from "./read-transaction.ts";
import type { ReplayGround } from "./replay-swap.ts";
import { sampledPools } from "./sampled-pools.ts";

/**
 * All transactions of a slot have arrived by then, and all account updates once one of a later slot has: they
 * come through another thread, which may be busy for longer.
 */
const SETTLE_MS = 1_200;
/** A transaction that the node has not returned by then counts as unread, and no update is waited for. */
const DEADLINE_MS = 15_000;
const TICK_EVERY_MS = 200;
const FOLLOW_EVERY_MS = 1_000;
/** A pool's subscriptions are open and its first reads done by then. */
const SETTLE_SLOTS = 12n;
/**
 * With more pools, a stream of whole transactions follows their programs instead. Over a WebSocket the
 * further pools are not judged: each transaction of the programs would have to be read.
 */
const MAX_FOLLOWED_POOLS = 500;
const READ_LIMITS = {
  maxActive: 6,
  maxWaiting: 1_000,
  overloadedMessage: "Too many transactions wait to be read.",
};
const SIGNATURES_KEPT = 20_000;

export type SwapJudgeDeps = {
  readonly transactions: TransactionSource;
  readonly versions: AccountVersions;
  /** Pools that are tracked now. */
  readonly pools: () => Iterable<PoolRef>;
  /** `ground`: what the swap was replayed on; null if it was not replayed, or not on held accounts. */
  readonly onJudged: (swap: JudgedSwap, ref: PoolRef, ground: ReplayGround | null) => void;
  readonly clock: WallClock;
  readonly onFailure: (what: string, cause: unknown) => void;
  /** Whether transactions come with their instructions, as a gRPC stream sends them. */
  readonly hasInstructions?: boolean;
  /** Absent: the swaps of all pools are received, and every transaction is read that is needed. */
  readonly sample?: SampleBudget;
};

/** The limits of a record that judges some swaps only. */
export type SampleBudget = {
  /** Transactions that may be read in a minute; further ones count as unread. */
  readonly readsPerMinute: number;
};

/** A received transaction: its reading, or the transaction itself until it could be read. */
type SeenTransaction = {
  readonly signature: string;
  content: TransactionReading | ObservedTransaction;
};
type SlotBatch = { readonly firstSeenMs: number; readonly seen: SeenTransaction[]; unread: number };
type TransactionRead = {
  readonly batch: SlotBatch;
  readonly seen: SeenTransaction;
  readonly transaction: ObservedTransaction;
};

const PROGRAMS = new Set(SWAP_READERS.map(({ venue }) => venue.programId));

/**
 * Receives every swap on tracked pools, and replays each once its slot is over and the accounts before
 * it are known. Owns its subscription. If the log is not enough, the transaction is read from the node.
 */
export class SwapJudge {
  readonly #deps: SwapJudgeDeps;
  readonly #following: Following;
  readonly #abort = new AbortController();
  readonly #pools = new Map<Address, WatchedPool>();
  readonly #followed = new Set<Address>();
  readonly #batches = new Map<bigint, SlotBatch>();
  readonly #signatures = new BoundedSet<string>(SIGNATURES_KEPT);
  readonly #reads = new TaskQueue(READ_LIMITS);
  #timer: NodeJS.Timeout | null = null;
  #followDueMs = 0;
  #readsLeft = 0;
  #readsRefilledMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SwapJudgeDeps) {
    this.#deps = deps;
    this.#following = deps.transactions.followTransactions({
      onTransaction: (transaction) => this.#accept(transaction),
      onGap: () => this.startOver(),
    });
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), TICK_EVERY_MS);
  }

  /** Does the work that is due now. Tests call it directly. */
  tick(): void {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs >= this.#followDueMs) {
      this.#followPools();
      const tookMs = this.#deps.clock.nowMs() - nowMs;
      this.#followDueMs = nowMs + Math.max(FOLLOW_EVERY_MS, restAfter(tookMs));
    }
    this.#judgeDue(nowMs);
  }

  /** Resolves when no transaction is being read. */
  idle(): Promise<void> {
    return this.#reads.idle();
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#abort.abort();
    await this.#following.close();
    await this.#reads.close();
  }

  #followPools(): void {
    const { pools, versions } = this.#deps;
    const { clock, sample } = this.#deps;
    const chosen = sample === undefined ? pools() : sampledPools(pools(), clock.nowMs());
    const wanted = new Map<Address, PoolRef>();
    for (const ref of chosen) wanted.set(ref.address, ref);
    const sinceSlot = versions.newestSlot + SETTLE_SLOTS;
    for (const [address, ref] of wanted) {
      const known = this.#pools.get(address);
      const reader = SWAP_READERS.find(({ venue }) => venue.id === ref.venue.id);
      if (reader === undefined || versions.newestSlot === 0n) continue;
      if (known !== undefined && known.sinceSlot !== null) continue;
      const isFull = this.#pools.size >= MAX_FOLLOWED_POOLS;
      if (known === undefined && isFull && this.#deps.hasInstructions !== true) continue;
      const isResumed = known?.isResumed ?? false;
      this.#pools.set(address, { ref, reader, sinceSlot, isResumed, touchedSlot: null });
    }
    for (const address of this.#pools.keys()) {
      if (!wanted.has(address)) this.#pools.delete(address);
    }
    this.#follow(this.#pools.size > MAX_FOLLOWED_POOLS ? PROGRAMS : this.#pools);
  }

  #follow(addresses: { readonly keys: () => Iterable<Address> }): void {
    const wanted = new Set(addresses.keys());
    const added = [...wanted].filter((address) => !this.#followed.has(address));
    const removed = [...this.#followed].filter((address) => !wanted.has(address));
    for (const address of added) this.#followed.add(address);
    for (const address of removed) this.#followed.delete(address);
    if (added.length > 0) this.#following.add(added);
    if (removed.length > 0) this.#following.remove(removed);
  }

  /**
   * Transactions or updates were lost. Swaps that were received and not yet judged are skipped, and
   * so are later ones until all accounts are followed again.
   */
  startOver(): void {
    const { newestSlot } = this.#deps.versions;
    for (const [address, pool] of this.#pools) {
      const { ref, reader, sinceSlot } = pool;
      const isResumed = pool.isResumed || (sinceSlot !== null && newestSlot >= sinceSlot);
      this.#pools.set(address, { ref, reader, sinceSlot: null, isResumed, touchedSlot: null });
    }
    this.#followDueMs = 0;
  }

  #accept(transaction: ObservedTransaction): void {
    if (this.#signatures.has(transaction.signature)) return;
    this.#signatures.add(transaction.signature);
    const reading = readTransaction(transaction, parseProgramLog(transaction.logs));
    if (reading.kind === "foreign") return;
    const batch = this.#batchOf(transaction.slot);
    const seen: SeenTransaction = {
      signature: transaction.signature,
      content: reading.kind === "whole" ? reading : transaction,
    };
    batch.seen.push(seen);
    // If the queue is full, the transaction is not read, and its slot does not wait for it.
    if (reading.kind === "whole" || this.#reads.isFull || this.#abort.signal.aborted) return;
    if (!this.#mayRead()) return;
    batch.unread++;
    // Only closing rejects a queued read: then nothing is judged any more.
    this.#reads.run(() => this.#read({ batch, seen, transaction })).catch(() => undefined);
  }

  /** Takes one read from the minute's allowance. */
  #mayRead(): boolean {
    const { clock, sample } = this.#deps;
    if (sample === undefined) return true;
    if (clock.nowMs() - this.#readsRefilledMs >= MS_PER_MINUTE) {
      this.#readsRefilledMs = clock.nowMs();
      this.#readsLeft = sample.readsPerMinute;
    }
    return this.#readsLeft-- >= 1;
  }

  #batchOf(slot: bigint): SlotBatch {
    const found = this.#batches.get(slot);
    if (found !== undefined) return found;
    const batch: SlotBatch = { firstSeenMs: this.#deps.clock.nowMs(), seen: [], unread: 0 };
    this.#batches.set(slot, batch);
    return batch;
  }

  async #read({ batch, seen, transaction }: TransactionRead): Promise<void> {
    const { transactions, onFailure } = this.#deps;
    const { signature, logs } = transaction;
    try {
      const whole = await transactions.readTransaction(signature, this.#abort.signal);
      if (whole !== null) seen.content = wholeReading({ ...whole, logs }) ?? transaction;
    } catch (cause) {
      if (!this.#abort.signal.aborted) onFailure("read a swap's transaction", cause);
    }
    batch.unread--;
  }

  #judgeDue(nowMs: number): void {
    const slots = [...this.#batches.keys()].toSorted(compareBigints);
    for (const slot of slots) {
      const batch = this.#batches.get(slot);
      if (batch === undefined) continue;
      const ageMs = nowMs - batch.firstSeenMs;
      const isWhole = batch.unread === 0 && this.#deps.versions.newestSlot > slot;
      if (ageMs < SETTLE_MS || (!isWhole && ageMs < DEADLINE_MS)) return;
      this.#batches.delete(slot);
      this.#judge(slot, batch);
    }
  }

  #judge(slot: bigint, { seen, firstSeenMs }: SlotBatch): void {
    const { onJudged } = this.#deps;
    const entries = seen.map(entryOf);
    for (const address of poolsOf(entries)) {
      const pool = this.#pools.get(address);
      if (pool === undefined) continue;
      for (const { signature, signer, outcome, ground } of this.#judgePool(pool, slot, entries)) {
        const { venue } = pool.ref;
        const judged = {
          ...{ atMs: firstSeenMs, venue: venue.id, pool: address },
          ...{ slot, signature, signer, outcome },
        };
        onJudged(judged, pool.ref, ground);
      }
    }
  }

  #judgePool(pool: WatchedPool, slot: bigint, entries: readonly SlotEntry[]): readonly Judgement[] {
    const { versions, onFailure } = this.#deps;
    try {
      return judgeSlot({ pool, slot, entries, versions });
    } catch (cause) {
      onFailure("replay a pool's swaps", cause);
      return skipSlot({ pool, entries }, "replay-failed");
    }
  }
}

function entryOf({ signature, content }: SeenTransaction): SlotEntry {
  return "logs" in content
    ? { signature, reading: null, inLog: poolsInLog(content) }
    : { signature, reading: content, inLog: [] };
}

/** Every address that may be a pool touched by the transactions. */
function poolsOf(entries: readonly SlotEntry[]): ReadonlySet<Address> {
  const touched = new Set<Address>();
  for (const { reading, inLog } of entries) {
    for (const address of inLog) touched.add(address);
    for (const { pool } of reading?.swaps ?? []) touched.add(pool);
    for (const address of reading?.named ?? []) touched.add(address);
  }
  return touched;
}

function wholeReading(transaction: ObservedTransaction): TransactionReading | null {
  const reading = readTransaction(transaction, parseProgramLog(transaction.logs));
  return reading.kind === "whole" ? reading : null;
}
