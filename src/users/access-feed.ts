import type { Kysely } from "kysely";
import { accessChangesSince } from "#src/store/access-changes.ts";
import type { Schema } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";

const POLL_EVERY_MS = 400;
/** How long what is remembered may be believed after a look at the changes began. */
const BELIEVED_MS = 950;
/** How far back each look goes: clocks of other processes may be off by that much. */
const LOOK_BACK_MS = 60_000;

/**
 * Tells the parts that remember keys and sessions whose no longer hold, in this process and in
 * every other: a change is here within half a second. While the database can't be asked nothing
 * is believed, so that a revoked key stops working within a second everywhere.
 */
export class AccessFeed {
  readonly #db: Kysely<Schema>;
  readonly #nowMs: () => number;
  readonly #listeners: ((userId: UserId) => void)[] = [];
  readonly #stop = new AbortController();
  #seen = new Set<string>();
  #believedUntilMs = 0;
  #polling: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: { readonly db: Kysely<Schema>; readonly nowMs: () => number }) {
    this.#db = deps.db;
    this.#nowMs = deps.nowMs;
  }

  onChange(listener: (userId: UserId) => void): void {
    this.#listeners.push(listener);
  }

  /** Whether what was remembered may still be believed. */
  isCurrent(nowMs: number): boolean {
    return nowMs < this.#believedUntilMs;
  }

  /** Drops what this process remembers of a user, at once. Other processes read of it. */
  announce(userId: UserId): void {
    for (const listener of this.#listeners) listener(userId);
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.poll(), POLL_EVERY_MS).unref();
    void this.poll();
  }

  /** One look at the changes. A look that fails only ends the belief: the next may succeed. */
  poll(): Promise<void> {
    this.#polling ??= this.#look().finally(() => {
      this.#polling = null;
    });
    return this.#polling;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#polling;
  }

  async #look(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const beganMs = this.#nowMs();
    const changes = await accessChangesSince(this.#db, beganMs - LOOK_BACK_MS).catch(() => null);
    if (changes === null) return;
    for (const { id, userId } of changes) if (!this.#seen.has(id)) this.announce(userId);
    this.#seen = new Set(changes.map(({ id }) => id));
    this.#believedUntilMs = beganMs + BELIEVED_MS;
  }
}
