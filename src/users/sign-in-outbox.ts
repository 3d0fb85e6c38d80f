import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger, reasonOf } from "#src/platform/failure-log.ts";
import { mapSome } from "#src/platform/map-some.ts";
import { Poller } from "#src/platform/poller.ts";
import type { Store } from "#src/store/schema.ts";
import {
  claimSignInRequests,
  finishSignInRequest,
  postponeSignInRequest,
  type SignInRequest,
  spendCode,
} from "#src/store/sign-in-requests.ts";
import { createUserForEmail, findUserByEmail } from "#src/store/users.ts";
import { parseEmailAddress } from "./email-address.ts";
import type { Mailer } from "./mailer.ts";
import type { SignInLibrary } from "./sign-in-library.ts";
import { signInMail } from "./sign-in-mail.ts";

/** The polling interval does not depend on requests, so that no answer's time shows what a request costs. */
const POLL_EVERY_MS = 250;
const BATCH = 20;
const PARALLEL_MAILS = 4;
const LEASE_MS = 60_000;
/** Longer than the minimum time between two codes to one mailbox. */
const RETRY_AFTER_MS = 61_000;
const ATTEMPTS = 5;

type Deps = {
  readonly store: Store;
  readonly library: SignInLibrary;
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

/** Handles requests for a sign-in code: creates the user, the code and the mail. */
export class SignInOutbox {
  readonly #deps: Deps;
  readonly #outcomes = { handled: 0, failed: 0, dead: 0 };
  readonly #poller: Poller<number>;
  readonly #sendFailures: FailureLog;
  readonly #lostMails: FailureLog;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { log } = deps;
    this.#poller = new Poller({
      run: () => this.#run(),
      everyMs: POLL_EVERY_MS,
      failures: new FailureLog({
        log,
        what: "process sign-in requests",
        next: `retrying every ${POLL_EVERY_MS} ms`,
      }),
    });
    this.#sendFailures = new FailureLog({
      log,
      what: "send a sign-in mail",
      next: `retrying each mail after ${RETRY_AFTER_MS / 1000} s, ${ATTEMPTS} attempts in all`,
    });
    this.#lostMails = new FailureLog({
      log,
      what: `send a sign-in mail in ${ATTEMPTS} attempts`,
      next: "the request is dropped; the user has to request another code",
    });
  }

  /** Since the start: handled requests, failed attempts, and mails given up. */
  get outcomes(): { readonly handled: number; readonly failed: number; readonly dead: number } {
    return this.#outcomes;
  }

  start(): void {
    this.#poller.start();
  }

  /** Handles the requests that are due. @returns how many it took */
  runDue(): Promise<number> {
    return this.#poller.runNow();
  }

  /** Finishes the current batch; the rest is handled after the next start. */
  close(): Promise<void> {
    return this.#poller.close();
  }

  async #run(): Promise<number> {
    const { store, clock } = this.#deps;
    const claim = { limit: BATCH, leaseMs: LEASE_MS, nowMs: clock.nowMs() };
    const requests = await claimSignInRequests(store, claim);
    await mapSome(requests, PARALLEL_MAILS, (request) => this.#handle(request));
    return requests.length;
  }

  async #handle(request: SignInRequest): Promise<void> {
    const { store, clock } = this.#deps;
    let reason: unknown = "the mailbox has been sent a code too recently";
    try {
      if ((await this.#sendCode(request)) === "done") {
        await finishSignInRequest(store.db, request.id);
        this.#outcomes.handled++;
        return;
      }
    } catch (cause) {
      reason = cause;
      this.#outcomes.failed++;
      this.#sendFailures.failed(cause);
    }
    if (request.attempts + 1 < ATTEMPTS) {
      await postponeSignInRequest(store.db, request.id, clock.nowMs() + RETRY_AFTER_MS);
      return;
    }
    this.#lostMails.failed(reasonOf(reason));
    this.#outcomes.dead++;
    await finishSignInRequest(store.db, request.id);
  }

  async #sendCode({ email: text, attempts }: SignInRequest): Promise<"done" | "later"> {
    const { store, library, mailer, publicUrl, clock } = this.#deps;
    const email = parseEmailAddress(text);
    if (email === null) return "done";
    await createUserForEmail(store, email, clock.nowMs());
    const user = await findUserByEmail(store.db, email);
    if (user === null || user.disabledAtMs !== null) return "done";
    // A refusal at the first attempt: a code was sent less than a minute ago or five times this hour.
    // At a later one the process may have stopped between the count and the mail.
    if (!(await spendCode(store.db, email, clock.nowMs())))
      return attempts === 0 ? "done" : "later";
    const code = await library.api.createVerificationOTP({ body: { email, type: "sign-in" } });
    await mailer.send(signInMail({ to: email, code, publicUrl }));
    this.#sendFailures.succeeded();
    this.#lostMails.succeeded();
    return "done";
  }
}
