/** After so many losses in a row a stream is given up. A silent stream is given up at once. */
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

type Failing = {
  losses: number;
  isDown: boolean;
  reason: string;
  readonly sinceMs: number;
  /** When the stream delivered its first slot after the last loss; null: none yet. */
  slotsSinceMs: number | null;
  /** It delivered slots again and was lost soon after. */
  isBrief: boolean;
};

/**
 * Which of several streams to one server are lost, which are given up, and the slots they have reached. Losses are
 * in a row until a stream has delivered slots for `calmMs`. One that is given up is used again with its first
 * slot, or only after that time if it has been lost before it.
 */
export class GeyserHealth {
  readonly #largestLag: bigint;
  readonly #calmMs: number;
  readonly #failing = new Map<number, Failing>();
  readonly #slots = new Map<number, bigint>();

  constructor(options: { readonly largestLag: bigint; readonly calmMs: number }) {
    this.#largestLag = options.largestLag;
    this.#calmMs = options.calmMs;
  }

  /** @returns whether the stream is given up from now on */
  lost(index: number, { reason, isSilent }: StreamLoss, nowMs: number): boolean {
    this.#slots.delete(index);
    const failing = this.#failing.get(index) ?? {
      ...{ losses: 0, isDown: false, reason, sinceMs: nowMs, slotsSinceMs: null, isBrief: false },
    };
    failing.reason = reason;
    if (failing.slotsSinceMs !== null) failing.isBrief = true;
    failing.slotsSinceMs = null;
    failing.losses = isSilent ? LOSSES_TO_FALL_BACK : failing.losses + 1;
    this.#failing.set(index, failing);
    if (failing.isDown || failing.losses < LOSSES_TO_FALL_BACK) return false;
    failing.isDown = true;
    return true;
  }

  /** @returns whether the stream was given up until now */
  received(index: number, slot: bigint, nowMs: number): boolean {
    this.#slots.set(index, slot);
    const failing = this.#failing.get(index);
    if (failing === undefined) return false;
    failing.slotsSinceMs ??= nowMs;
    const wasDown = failing.isDown;
    const isCalm = nowMs - failing.slotsSinceMs >= this.#calmMs;
    if (isCalm) this.#failing.delete(index);
    else if (!failing.isBrief) failing.isDown = false;
    return wasDown && (isCalm || !failing.isDown);
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
