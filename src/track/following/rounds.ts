/** The longest time between two calls that the next one makes up for. */
const MOST_MADE_UP_MS = 1_000;

/**
 * Visits the members of a collection over and over, each once in a round. The number of visits follows from the time
 * since the last call, so that a round takes as long however rarely it is called.
 */
export class Rounds<Member> {
  readonly #members: { readonly size: number } & Iterable<Member>;
  readonly #roundMs: number;
  readonly #leastVisits: number;
  #left: Iterator<Member> | null = null;
  #calledAtMs: number | null = null;

  /** @param leastVisits  in a call, where the collection has as many */
  constructor(
    members: { readonly size: number } & Iterable<Member>,
    { roundMs, leastVisits }: { readonly roundMs: number; readonly leastVisits: number },
  ) {
    this.#members = members;
    this.#roundMs = roundMs;
    this.#leastVisits = leastVisits;
  }

  /**
   * Visits the next members; ends at the end of a round. Members may join and leave meanwhile. A round that the last
   * call has ended is followed by the next one.
   *
   * @param visitOne  false: the other visits of this call are left out, and the round takes longer
   */
  visit(nowMs: number, visitOne: (member: Member) => boolean): void {
    const sinceMs = nowMs - (this.#calledAtMs ?? nowMs);
    this.#calledAtMs = nowMs;
    const madeUpMs = Math.min(Math.max(sinceMs, 0), MOST_MADE_UP_MS);
    const visits = Math.max(
      this.#leastVisits,
      Math.ceil((this.#members.size * madeUpMs) / this.#roundMs),
    );
    this.#left ??= this.#members[Symbol.iterator]();
    let next = this.#left.next();
    if (next.done === true) {
      this.#left = this.#members[Symbol.iterator]();
      next = this.#left.next();
    }
    for (let visit = 1; next.done !== true; visit++) {
      if (!visitOne(next.value) || visit === visits) return;
      next = this.#left.next();
    }
    this.#left = null;
  }
}

/** The values of a map, whichever it has when they are visited. */
export function valuesOf<Member>(map: ReadonlyMap<unknown, Member>) {
  return {
    get size() {
      return map.size;
    },
    [Symbol.iterator]: () => map.values(),
  };
}
