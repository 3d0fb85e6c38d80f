import type { Kysely } from "kysely";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import { accessChangesSince } from "#src/store/access-changes.ts";
import type { Schema } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";

const POLL_EVERY_MS = 400;
/** Caches are trusted for this long after the start of a successful poll. */
const TRUSTED_MS = 950;
/** Each poll reads from so long before the last one: the clocks of other processes may differ by that much. */
const LOOK_BACK_MS = 60_000;

/**
 * Invalidates cached keys and sessions of users whose access changed, in this process at once and in
 * every other within half a second. While polling fails the caches are not trusted, so that a revoked
 * key stops working everywhere within a second.
 */
export class AccessCacheSync {
  readonly #db: Kysely<Schema>;
  readonly #clock: WallClock;
  readonly #listeners: ((userId: UserId) => void)[] = [];
  readonly #poller: Poller;
  #seen = new Set<string>();
  /** The start of the last successful poll; null before the first, when nothing is cached. */
  #readAtMs: number | null = null;
  #trustedUntilMs = 0;

  constructor(deps: {
    readonly db: Kysely<Schema>;
    readonly clock: WallClock;
    readonly log: FailureLogger | null;
  }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    this.#poller = new Poller({
      run: () => this.#readChanges(),
      everyMs: POLL_EVERY_MS,
      failures: new FailureLog({
        log: deps.log,
        what: "read changes of keys and sessions",
        next: "keys and sessions are read from the database at each request until it succeeds",
      }),
    });
  }

  /** Calls `listener` with each user whose cached keys and sessions are invalid. */
  onChange(listener: (userId: UserId) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether cached keys and sessions may be trusted now. */
  isCurrent(nowMs: number): boolean {
    return nowMs < this.#trustedUntilMs;
  }

  /** Drops this process's cached keys and sessions of a user. Other processes poll for the change. */
  invalidate(userId: UserId): void {
    for (const listener of this.#listeners) listener(userId);
  }

  start(): void {
    this.#poller.start();
    void this.poll();
  }

  /** Reads the changes once; resolves also if that fails. */
  async poll(): Promise<void> {
    await this.#poller.runNow().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#poller.close();
  }

  async #readChanges(): Promise<void> {
    const startedMs = this.#clock.nowMs();
    // Polls may have failed, or the process been suspended, for longer than the look-back.
    const readAtMs = Math.min(this.#readAtMs ?? startedMs, startedMs);
    const changes = await accessChangesSince(this.#db, readAtMs - LOOK_BACK_MS);
    for (const { id, userId } of changes) if (!this.#seen.has(id)) this.invalidate(userId);
    this.#seen = new Set(changes.map(({ id }) => id));
    this.#readAtMs = startedMs;
    this.#trustedUntilMs = startedMs + TRUSTED_MS;
  }
}
