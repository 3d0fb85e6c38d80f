/** Upper ends of the durations that are counted apart, milliseconds; whatever took longer is counted last. */
export const DURATION_ENDS_MS = [
  0.1, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
] as const;

/** A request that found no route: its path could be anything. */
export const NO_ROUTE = "none";

/**
 * How the requests of one method on one route came out, as plain numbers: the hot answer counts here
 * too, and a library's counter would cost it more than its own work.
 */
export class RouteCounts {
  readonly method: string;
  readonly route: string;
  readonly byStatus = new Map<number, number>();
  /** By `DURATION_ENDS_MS`, and one more for the longest. */
  readonly byDuration = new Float64Array(DURATION_ENDS_MS.length + 1);
  totalMs = 0;

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  count(status: number, durationMs: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    let place = 0;
    while (place < DURATION_ENDS_MS.length && durationMs > (DURATION_ENDS_MS[place] ?? 0)) place++;
    this.byDuration[place] = (this.byDuration[place] ?? 0) + 1;
    this.totalMs += durationMs;
  }
}

/** Requests answered since the start, by method and route pattern. */
export class RequestCounts {
  readonly #counts = new Map<string, RouteCounts>();

  of(method: string, route: string): RouteCounts {
    const name = `${method} ${route}`;
    const known = this.#counts.get(name);
    if (known !== undefined) return known;
    const counts = new RouteCounts(method, route);
    this.#counts.set(name, counts);
    return counts;
  }

  all(): Iterable<RouteCounts> {
    return this.#counts.values();
  }
}
