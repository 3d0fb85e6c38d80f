/** After so many losses in a row without a slot, a stream counts as refused. A silent one does at once. */
const LOSSES_TO_FALL_BACK = 3;
/**
 * A stream that is behind the others loses nothing: answers claim the slot that all of them have delivered. Twenty
 * seconds behind, that is soon too old for an answer, and accounts are read instead.
 */
export const LARGEST_LAG = 50n;
/** The same of processed slots: what may be dropped is taken back by slot, so that figures and slot stay together. */
export const LARGEST_LAG_PROCESSED = 4n;

/** Why a stream was lost. */
export type StreamLoss = {
  readonly reason: string;
  /** The server accepted the stream, or the connection, and then sent nothing. */
  readonly isSilent: boolean;
};

type Failing = { losses: number; isDown: boolean; reason: string; readonly sinceMs: number };

/** Which of several streams to one server are lost, which are refused, and the slots they have reached. */
export class GeyserHealth {
  readonly #largestLag: bigint;
  readonly #failing = new Map<number, Failing>();
  readonly #slots = new Map<number, bigint>();

  constructor(largestLag: bigint) {
    this.#largestLag = largestLag;
  }

  /** @returns whether the stream is given up from now on, until it delivers a slot */
  lost(index: number, { reason, isSilent }: StreamLoss, nowMs: number): boolean {
    this.#slots.delete(index);
    const failing = this.#failing.get(index) ?? {
      ...{ losses: 0, isDown: false, reason, sinceMs: nowMs },
    };
    failing.reason = reason;
    failing.losses = isSilent ? LOSSES_TO_FALL_BACK : failing.losses + 1;
    this.#failing.set(index, failing);
    if (failing.isDown || failing.losses < LOSSES_TO_FALL_BACK) return false;
    failing.isDown = true;
    return true;
  }

  /** @returns whether the stream was given up until now */
  received(index: number, slot: bigint): boolean {
    this.#slots.set(index, slot);
    const failing = this.#failing.get(index);
    this.#failing.delete(index);
    return failing?.isDown === true;
  }

  /** The stream is not used any more. */
  forget(index: number): void {
    this.#failing.delete(index);
    this.#slots.delete(index);
  }

  /** What was asked for was beyond the server's limits: its refusals do not concern other requests. */
  forgetFailures(): void {
    this.#failing.clear();
  }

  isDown(index: number): boolean {
    return this.#failing.get(index)?.isDown === true;
  }

  /** The first stream that is given up; null: none is. */
  get firstDown(): { readonly reason: string; readonly sinceMs: number } | null {
    return this.#failing.values().find(({ isDown }) => isDown) ?? null;
  }

  /** The slot that each of these streams has reached; null: one of them has delivered none. */
  reached(streams: Iterable<number>): bigint | null {
    return this.#range(streams)?.lowest ?? null;
  }

  /** Whether these streams deliver every change, none of them too late for an answer. */
  isWhole(streams: Iterable<number>): boolean {
    const range = this.#range(streams);
    return range !== null && range.highest - range.lowest <= this.#largestLag;
  }

  #range(streams: Iterable<number>): { readonly lowest: bigint; readonly highest: bigint } | null {
    let range: { lowest: bigint; highest: bigint } | null = null;
    for (const index of streams) {
      const slot = this.#slots.get(index);
      if (slot === undefined) return null;
      if (range === null) range = { lowest: slot, highest: slot };
      else if (slot < range.lowest) range.lowest = slot;
      else if (slot > range.highest) range.highest = slot;
    }
    return range;
  }
}
