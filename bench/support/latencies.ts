/** From one bucket to the next: finer than any two runs agree. */
const RATIO = 1.02;
const LEAST_MS = 0.001;
const BUCKETS = 1_200;

/** Counts of latencies in buckets of 2 %, from a microsecond to hours, in a fixed room. */
export class Latencies {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, LEAST_MS) / LEAST_MS) / Math.log(RATIO));
    const place = Math.min(BUCKETS - 1, bucket);
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#total++;
  }

  /** The latency that a share of them, 0 to 1, did not exceed, up to 2 % too high; null where there are none. */
  at(share: number): number | null {
    if (this.#total === 0) return null;
    const wanted = Math.ceil(share * this.#total);
    let seen = 0;
    for (const [place, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= wanted) return Number((LEAST_MS * RATIO ** place).toPrecision(3));
    }
    return null;
  }
}
