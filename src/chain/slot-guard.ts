import type { ChainLogger } from "./chain-logger.ts";

/** Two minutes: no node of a working provider is so far behind the others. */
const FAR_BEHIND_SLOTS = 300n;
/** A chain makes at most so many slots a second. */
const SLOTS_PER_SECOND = 5;
const FAR_AHEAD_SLOTS = 5_000;
/** A node that works has some dozens of new slots in this time. */
const STOPPED_AFTER_MS = 15_000;
/** Ten seconds: more than nodes of one provider differ by. */
const BEHIND_SLOTS = 25n;
/** After so long without any newer slot, the chain itself went back: restart of a cluster. */
const ACCEPT_AFTER_MS = 10 * 60_000;
/**
 * Replies far ahead are used once all of so long were: this process was suspended before. Repeating the same read
 * proves nothing, because it reaches the same node.
 */
const ACCEPT_AHEAD_AFTER_MS = 10_000;

/**
 * Compares the slots of a node's replies with the newest one. A node that goes far back serves an old
 * state, or another chain; a slot far in the future is a mistake that would make every later reply old.
 */
export class SlotGuard {
  readonly #logger: ChainLogger | null;
  #newest = 0n;
  #newestAtMs = performance.now();
  #isBack = false;
  /** When the first reply far ahead came since the last plausible one; null: none has. */
  #aheadSinceMs: number | null = null;

  constructor(logger: ChainLogger | null) {
    this.#logger = logger;
  }

  get newest(): bigint {
    return this.#newest;
  }

  /** The node's slots went back, and no reply has been as new as before since. */
  get isBack(): boolean {
    return this.#isBack;
  }

  /** Whether a reply of this slot can be served at all; `accept` it afterwards. */
  judge(slot: bigint): "plausible" | "far-back" | "far-ahead" {
    if (this.#newest === 0n) return "plausible";
    const sinceMs = performance.now() - this.#newestAtMs;
    if (slot + FAR_BEHIND_SLOTS < this.#newest) {
      if (sinceMs > ACCEPT_AFTER_MS) return "plausible";
      if (!this.#isBack) {
        this.#isBack = true;
        this.#logger?.error(
          { slot: String(slot), newestSlot: String(this.#newest) },
          "the node's slots went back: it serves an old state or another chain; its replies are not used",
        );
      }
      return "far-back";
    }
    if (this.isFarAhead(slot) && !this.#isAheadForLong(slot)) return "far-ahead";
    this.#aheadSinceMs = null;
    return "plausible";
  }

  #isAheadForLong(slot: bigint): boolean {
    const nowMs = performance.now();
    if (this.#aheadSinceMs === null) {
      this.#aheadSinceMs = nowMs;
      this.#logger?.warn(
        { slot: String(slot), newestSlot: String(this.#newest) },
        "a reply of the node has a slot far in the future; it is not used",
      );
    }
    return nowMs - this.#aheadSinceMs >= ACCEPT_AHEAD_AFTER_MS;
  }

  /** Whether the node of this reply has stopped, or is behind another one: a node that works has newer slots. */
  isLate(slot: bigint): boolean {
    if (slot > this.#newest) return false;
    const hasStopped = performance.now() - this.#newestAtMs > STOPPED_AFTER_MS;
    return hasStopped || slot + BEHIND_SLOTS < this.#newest;
  }

  /**
   * Whether the chain can't have reached the slot, as far as replies have shown. A notification of it is not
   * used: everything after it would count as older.
   */
  isFarAhead(slot: bigint): boolean {
    if (this.#newest === 0n || slot <= this.#newest) return false;
    const sinceMs = performance.now() - this.#newestAtMs;
    const most = FAR_AHEAD_SLOTS + (sinceMs / 1_000) * SLOTS_PER_SECOND;
    return slot > this.#newest + BigInt(Math.ceil(most));
  }

  /** The reply is used: its slot is the newest from now on, also if it is lower. */
  accept(slot: bigint): void {
    if (slot > this.#newest) this.#newestAtMs = performance.now();
    if (this.#isBack) {
      this.#isBack = false;
      this.#logger?.info({ slot: String(slot) }, "the node's slots go on from where they were");
    }
    this.#newest = slot;
  }
}
