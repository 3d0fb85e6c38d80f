import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import { recordAuthSecret, removeAuthSecret } from "#src/store/auth-secrets.ts";
import type { Store } from "#src/store/schema.ts";
import { secretFor } from "./auth-secret.ts";

const CHECK_EVERY_MS = 60_000;
/** A process that was killed counts as running for this time. */
const KEPT_MS = 3 * CHECK_EVERY_MS;

export type AuthSecretWatchDeps = {
  /** The database that all processes with these sessions share. */
  readonly store: Pick<Store, "db">;
  readonly authSecret: string;
  /** Unique among all processes on the database. */
  readonly processId: string;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

/**
 * Detects that processes on one database have different secrets: each refuses the sessions of the others.
 * A process that stops removes its record: a secret that was changed while all were stopped is not reported.
 */
export class AuthSecretWatch {
  readonly #deps: AuthSecretWatchDeps;
  /** A keyed hash of a constant: it does not reveal the secret. */
  readonly #fingerprint: string;
  readonly #poller: Poller;
  #isSame = true;

  constructor(deps: AuthSecretWatchDeps) {
    this.#deps = deps;
    this.#fingerprint = secretFor("fingerprint", deps.authSecret);
    this.#poller = new Poller({
      run: () => this.check(),
      everyMs: CHECK_EVERY_MS,
      failures: new FailureLog({
        log: deps.log,
        what: "compare AUTH_SECRET with the other processes",
        next: "retrying every minute",
      }),
    });
  }

  /** Whether no other process had another secret at the last check. */
  get isSame(): boolean {
    return this.#isSame;
  }

  /** Compares now, and every minute until `close`. */
  async start(): Promise<void> {
    // A start does not depend on it; the failure is in the log.
    await this.#poller.runNow().catch(() => undefined);
    this.#poller.start();
  }

  /** Compares now, and logs a change. Tests call it directly. */
  async check(): Promise<void> {
    const { store, processId, clock, log } = this.#deps;
    const nowMs = clock.nowMs();
    const isSame = !(await recordAuthSecret(
      store.db,
      { process: processId, fingerprint: this.#fingerprint },
      { nowMs, sinceMs: nowMs - KEPT_MS },
    ));
    if (isSame === this.#isSame) return;
    this.#isSame = isSame;
    if (isSame) log.info("all processes on this database have the same AUTH_SECRET now");
    else
      log.error(
        "AUTH_SECRET differs from that of another process on this database: each refuses the sessions of the other. Set the same AUTH_SECRET for all processes and restart those that had another one",
      );
  }

  async close(): Promise<void> {
    await this.#poller.close();
    const { store, processId } = this.#deps;
    // Without the database the record stays, and expires.
    await removeAuthSecret(store.db, processId).catch(() => undefined);
  }
}
