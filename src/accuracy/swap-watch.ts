import type { Following, ObservedTransaction, TransactionSource } from "#src/chain/chain-source.ts";
import type { NowMs } from "#src/platform/clock.ts";
import type { PoolRef } from "#src/track/open-pool.ts";
import type { Address } from "#src/units/address.ts";
import type { AccountVersions } from "./account-versions.ts";
import { SWAP_READERS } from "./events/all.ts";
import {
  type Judgement,
  judgeSlot,
  type SlotEntry,
  skipSlot,
  type WatchedPool,
} from "./judge-slot.ts";
import type { JudgedSwap } from "./judged-swap.ts";
import { parseProgramLog } from "./program-log.ts";
import { poolsInLog, readTransaction, type TransactionReading } from "./read-transaction.ts";
import type { ReplayGround } from "./replay-swap.ts";

/** Account updates and transactions of one slot have come by then. */
const SETTLE_MS = 1_200;
/** A transaction that the node has not given by then is given up. */
const GIVE_UP_MS = 15_000;
const TICK_EVERY_MS = 200;
const FOLLOW_EVERY_MS = 1_000;
/** A pool's subscriptions and first reads stand by then, and what came between was read again. */
const SETTLE_SLOTS = 12n;
/** More pools than this are followed by their programs: nodes limit subscriptions. */
const MAX_FOLLOWED_POOLS = 500;
const MAX_READS = 6;
const MAX_WAITING_READS = 1_000;
const SIGNATURES_KEPT = 20_000;

export type SwapWatchDeps = {
  readonly transactions: TransactionSource;
  readonly versions: AccountVersions;
  /** Pools that are tracked now. */
  readonly pools: () => Iterable<PoolRef>;
  /** `ground`: what it was replayed on; null where it was not, or where no accounts hold it. */
  readonly onJudged: (swap: JudgedSwap, ref: PoolRef, ground: ReplayGround | null) => void;
  readonly nowMs: NowMs;
  readonly onFailure: (what: string, cause: unknown) => void;
};

/** What a transaction that was seen says; what it is read from as long as that is not known. */
type Seen = { readonly signature: string; content: TransactionReading | ObservedTransaction };
type SlotBatch = { readonly firstSeenMs: number; readonly seen: Seen[]; unread: number };
type WaitingRead = {
  readonly batch: SlotBatch;
  readonly seen: Seen;
  readonly transaction: ObservedTransaction;
};

const PROGRAMS = new Set(SWAP_READERS.map(({ venue }) => venue.programId));

/**
 * Sees every swap on the pools that are tracked, and replays each once its slot is over and the
 * accounts before it are known. Owns its subscription; a transaction that the log does not tell whole
 * is read from the node, a few at a time.
 */
export class SwapWatch {
  readonly #deps: SwapWatchDeps;
  readonly #following: Following;
  readonly #abort = new AbortController();
  readonly #pools = new Map<Address, WatchedPool>();
  readonly #followed = new Set<Address>();
  readonly #batches = new Map<bigint, SlotBatch>();
  readonly #signatures = new Set<string>();
  readonly #waiting: WaitingRead[] = [];
  readonly #reads = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | null = null;
  #followDueMs = 0;

  constructor(deps: SwapWatchDeps) {
    this.#deps = deps;
    this.#following = deps.transactions.followTransactions({
      onTransaction: (transaction) => this.#see(transaction),
      onGap: () => this.startOver(),
    });
  }

  start(): void {
    this.#timer ??= setInterval(() => this.tick(), TICK_EVERY_MS);
  }

  /** Does what is due now: `start` calls it several times a second, tests as their clock says. */
  tick(): void {
    const nowMs = this.#deps.nowMs();
    if (nowMs >= this.#followDueMs) {
      this.#followDueMs = nowMs + FOLLOW_EVERY_MS;
      this.#followPools();
    }
    this.#pump();
    this.#judgeDue(nowMs);
  }

  /** Resolves when no transaction is being read. */
  async idle(): Promise<void> {
    while (this.#reads.size > 0) await Promise.all(this.#reads);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#abort.abort();
    await this.#following.close();
    await this.idle();
  }

  #followPools(): void {
    const { pools, versions } = this.#deps;
    const wanted = new Map<Address, PoolRef>();
    for (const ref of pools()) wanted.set(ref.address, ref);
    const sinceSlot = versions.newestSlot + SETTLE_SLOTS;
    for (const [address, ref] of wanted) {
      const known = this.#pools.get(address);
      const reader = SWAP_READERS.find(({ venue }) => venue.id === ref.venue.id);
      if (reader === undefined || versions.newestSlot === 0n) continue;
      if (known !== undefined && known.sinceSlot !== null) continue;
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
   * Transactions or updates were missed: what pools held meanwhile is not known to be whole. What
   * was seen and not yet judged is skipped, and so are the swaps until all is followed again.
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

  #see(transaction: ObservedTransaction): void {
    if (this.#signatures.has(transaction.signature)) return;
    this.#signatures.add(transaction.signature);
    if (this.#signatures.size > SIGNATURES_KEPT) {
      const [oldest] = this.#signatures;
      if (oldest !== undefined) this.#signatures.delete(oldest);
    }
    const reading = readTransaction(transaction, parseProgramLog(transaction.logs));
    if (reading.kind === "foreign") return;
    const batch = this.#batchOf(transaction.slot);
    const seen: Seen = {
      signature: transaction.signature,
      content: reading.kind === "whole" ? reading : transaction,
    };
    batch.seen.push(seen);
    // What finds no room to wait is not read at all: its slot need not wait for it.
    if (reading.kind === "whole" || this.#waiting.length >= MAX_WAITING_READS) return;
    batch.unread++;
    this.#waiting.push({ batch, seen, transaction });
    this.#pump();
  }

  #batchOf(slot: bigint): SlotBatch {
    const found = this.#batches.get(slot);
    if (found !== undefined) return found;
    const batch: SlotBatch = { firstSeenMs: this.#deps.nowMs(), seen: [], unread: 0 };
    this.#batches.set(slot, batch);
    return batch;
  }

  #pump(): void {
    while (this.#reads.size < MAX_READS) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const read = this.#read(next).finally(() => {
        this.#reads.delete(read);
        this.#pump();
      });
      this.#reads.add(read);
    }
  }

  async #read({ batch, seen, transaction }: WaitingRead): Promise<void> {
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
    const slots = [...this.#batches.keys()].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    for (const slot of slots) {
      const batch = this.#batches.get(slot);
      if (batch === undefined) continue;
      const ageMs = nowMs - batch.firstSeenMs;
      if (ageMs < SETTLE_MS || (batch.unread > 0 && ageMs < GIVE_UP_MS)) return;
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
      for (const { signature, outcome, ground } of this.#judgePool(pool, slot, entries)) {
        const { venue } = pool.ref;
        const judged = {
          ...{ atMs: firstSeenMs, venue: venue.id, pool: address },
          ...{ slot, signature, outcome },
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

function entryOf({ signature, content }: Seen): SlotEntry {
  return "logs" in content
    ? { signature, reading: null, inLog: poolsInLog(content) }
    : { signature, reading: content, inLog: [] };
}

/** Every address that may be a pool that the transactions touched. */
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
