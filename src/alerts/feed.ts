import type { Kysely } from "kysely";
import { MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { type OpenTokenAlert, openAlerts } from "#src/store/alerts.ts";
import type { Schema } from "#src/store/schema.ts";
import {
  alertsOfUser,
  alertsOfUserSince,
  newestAlertId,
  type UserAlert,
} from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";

/** Alerts of another process are found within this time, those of this process at once. */
const POLL_EVERY_MS = 2_000;
const ALERTS_PER_READ = 100;
/**
 * What all pages together are shown of every token: read this often, however many pages ask. That a token is
 * followed is noted every five minutes.
 */
const CURRENT = {
  ...{ everyMs: 2_000, limit: 12, withinMs: MS_PER_DAY },
  followedWithinMs: 900_000,
} as const;

export type FeedPage = {
  readonly userId: UserId;
  readonly beforeId: bigint | null;
  readonly limit: number;
};

type Follower = {
  readonly userId: UserId;
  readonly onAlert: (alert: UserAlert) => void;
  lastId: bigint;
};

/** Alerts as the dashboard shows them: a user's stored ones, new ones pushed to open pages, and those of all tokens that are on. */
export class AlertFeed {
  readonly #db: Kysely<Schema>;
  readonly #clock: WallClock;
  readonly #failures: FailureLog;
  readonly #followers = new Set<Follower>();
  #timer: NodeJS.Timeout | null = null;
  #newestId = 0n;
  #polling: Promise<void> = Promise.resolve();
  #current: { readonly atMs: number; readonly alerts: Promise<readonly OpenTokenAlert[]> } | null =
    null;

  constructor(deps: {
    readonly db: Kysely<Schema>;
    readonly clock: WallClock;
    readonly log: FailureLogger;
  }) {
    this.#db = deps.db;
    this.#clock = deps.clock;
    const next = "open pages get their alerts with the next poll";
    this.#failures = new FailureLog({ log: deps.log, what: "read alerts for open pages", next });
  }

  /** The newest first. */
  page(page: FeedPage): Promise<readonly UserAlert[]> {
    return alertsOfUser(this.#db, page);
  }

  /**
   * The tokens whose alert turned on within a day and is still on, as far as they are followed, the newest first;
   * two seconds old at most.
   */
  current(): Promise<readonly OpenTokenAlert[]> {
    const nowMs = this.#clock.nowMs();
    if (this.#current === null || nowMs - this.#current.atMs >= CURRENT.everyMs) {
      const { limit, withinMs, followedWithinMs } = CURRENT;
      const sinceMs = nowMs - withinMs;
      const alerts = openAlerts(this.#db, { sinceMs, followedWithinMs, limit });
      this.#current = { atMs: nowMs, alerts };
    }
    return this.#current.alerts;
  }

  /**
   * Calls back with each alert of the user after `afterId`, in order; null: only with new ones. An id above
   * all of the user's counts as none: it is of a database that was restored from an older backup since.
   *
   * @returns a function that stops the calls
   */
  async follow(
    userId: UserId,
    afterId: bigint | null,
    onAlert: (alert: UserAlert) => void,
  ): Promise<() => void> {
    const newestId = await newestAlertId(this.#db, userId);
    const lastId = afterId !== null && afterId < newestId ? afterId : newestId;
    const follower = { userId, onAlert, lastId };
    this.#followers.add(follower);
    this.#timer ??= setInterval(() => this.poll(), POLL_EVERY_MS).unref();
    this.#enqueue(() => this.#push(follower));
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  /** Pushes alerts that were recorded since the last poll. */
  poll(): void {
    if (this.#followers.size > 0) this.#enqueue(() => this.#poll());
  }

  /** Resolves when the last poll has ended. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#followers.clear();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const newestId = await newestAlertId(this.#db, null);
    if (newestId === this.#newestId) return;
    for (const follower of this.#followers) await this.#push(follower);
    this.#newestId = newestId;
  }

  async #push(follower: Follower): Promise<void> {
    for (;;) {
      const { userId, lastId: afterId } = follower;
      const alerts = await alertsOfUserSince(this.#db, { userId, afterId, limit: ALERTS_PER_READ });
      for (const alert of alerts) {
        if (!this.#followers.has(follower)) return;
        follower.lastId = alert.id;
        follower.onAlert(alert);
      }
      if (alerts.length < ALERTS_PER_READ) return;
    }
  }

  #enqueue(work: () => Promise<void>): void {
    this.#polling = this.#failures.outcomeOf(this.#polling.then(work));
  }
}
