import type { Kysely } from "kysely";
import type { BaseLogger } from "pino";
import type { Schema } from "#src/store/schema.ts";
import {
  alertsOfUser,
  alertsOfUserSince,
  newestAlertId,
  newestAlertIdOfAll,
  type UserAlert,
} from "#src/store/user-alerts.ts";
import type { UserId } from "#src/store/user-id.ts";

/** Alerts that another process wrote are seen within this time; our own at once. */
const LOOK_EVERY_MS = 2_000;
const ALERTS_AT_ONCE = 100;

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

/** The dashboard's own channel: every alert is kept, and pushed to whoever has the page open. */
export class AlertFeed {
  readonly #db: Kysely<Schema>;
  readonly #log: Pick<BaseLogger, "warn">;
  readonly #followers = new Set<Follower>();
  #timer: NodeJS.Timeout | null = null;
  #newestId = 0n;
  #looking: Promise<void> = Promise.resolve();

  constructor(deps: { readonly db: Kysely<Schema>; readonly log: Pick<BaseLogger, "warn"> }) {
    this.#db = deps.db;
    this.#log = deps.log;
  }

  /** The newest first. */
  page(page: FeedPage): Promise<readonly UserAlert[]> {
    return alertsOfUser(this.#db, page);
  }

  /**
   * Calls back with each alert of the user's after `afterId`, or, with null, from now on, in order.
   *
   * @returns what ends it
   */
  async follow(
    userId: UserId,
    afterId: bigint | null,
    onAlert: (alert: UserAlert) => void,
  ): Promise<() => void> {
    const lastId = afterId ?? (await newestAlertId(this.#db, userId));
    const follower = { userId, onAlert, lastId };
    this.#followers.add(follower);
    this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    this.#looking = this.#looking.then(() => this.#tell(follower)).catch((err) => this.#warn(err));
    return () => {
      this.#followers.delete(follower);
      if (this.#followers.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
  }

  /** Something may have been written. */
  look(): void {
    if (this.#followers.size === 0) return;
    this.#looking = this.#looking.then(() => this.#look()).catch((err) => this.#warn(err));
  }

  /** Resolves when everybody was told of what was there at the last look. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#followers.clear();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const newestId = await newestAlertIdOfAll(this.#db);
    if (newestId === this.#newestId) return;
    for (const follower of this.#followers) await this.#tell(follower);
    this.#newestId = newestId;
  }

  async #tell(follower: Follower): Promise<void> {
    for (;;) {
      const { userId, lastId: afterId } = follower;
      const alerts = await alertsOfUserSince(this.#db, { userId, afterId, limit: ALERTS_AT_ONCE });
      for (const alert of alerts) {
        if (!this.#followers.has(follower)) return;
        follower.lastId = alert.id;
        follower.onAlert(alert);
      }
      if (alerts.length < ALERTS_AT_ONCE) return;
    }
  }

  #warn(err: unknown): void {
    this.#log.warn({ err }, "alerts could not be read for the feed");
  }
}
