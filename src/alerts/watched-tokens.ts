import type { Address } from "#src/units/address.ts";

/** So many new tokens are asked for at once: the tracker's queue is not to be filled by us alone. */
const NEW_AT_ONCE = 200;
/** Nor is it asked for more while so many that were asked for have not come: they would come no sooner. */
const MOST_AWAITED = 300;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 300_000;

/** A token that the tracker has shows itself within ten seconds: it takes a sample of each. */
const SHOWN_WITHIN_MS = 12_000;

type Asked = { readonly askedAtMs: number; readonly waitMs: number };

/**
 * Which tokens the tracker is to follow for us: those that it has shown already, and some of the
 * others at a time. One that does not appear is asked for again, ever more rarely.
 */
export class WatchedTokens {
  readonly #asked = new Map<Address, Asked>();
  readonly #seen = new Set<Address>();
  #wanted: ReadonlySet<Address> = new Set();

  want(mints: Iterable<Address>): void {
    this.#wanted = new Set(mints);
    for (const mint of this.#asked.keys()) if (!this.#wanted.has(mint)) this.#asked.delete(mint);
    for (const mint of this.#seen) if (!this.#wanted.has(mint)) this.#seen.delete(mint);
  }

  /** The tracker has it. */
  noteSeen(mint: Address): void {
    if (!this.#wanted.has(mint) || this.#seen.has(mint)) return;
    this.#seen.add(mint);
    this.#asked.delete(mint);
  }

  /** What to ask the tracker to watch at this moment. */
  next(nowMs: number): readonly Address[] {
    const asking: Address[] = [];
    let added = 0;
    const room = Math.min(NEW_AT_ONCE, MOST_AWAITED - this.#awaitedCount(nowMs));
    for (const mint of this.#wanted) {
      if (this.#seen.has(mint)) continue;
      const asked = this.#asked.get(mint);
      const isDue = asked === undefined || nowMs - asked.askedAtMs >= asked.waitMs;
      if (isDue && added < room) {
        added++;
        const waitMs = Math.min(
          LONGEST_WAIT_MS,
          asked === undefined ? FIRST_WAIT_MS : asked.waitMs * 2,
        );
        this.#asked.set(mint, { askedAtMs: nowMs, waitMs });
        asking.push(mint);
      } else if (asked !== undefined && nowMs - asked.askedAtMs < SHOWN_WITHIN_MS)
        asking.push(mint);
    }
    return [...this.#seen, ...asking];
  }

  #awaitedCount(nowMs: number): number {
    let count = 0;
    for (const { askedAtMs } of this.#asked.values())
      if (nowMs - askedAtMs < SHOWN_WITHIN_MS) count++;
    return count;
  }
}
