import { dayOf, type WallClock } from "#src/platform/clock.ts";
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
import { spendDailyLimits } from "#src/store/usage.ts";
import { findUserByEmail } from "#src/store/users.ts";
import { type EmailAddress, parseEmailAddress } from "./email-address.ts";
import type { KeptNames } from "./kept-usage.ts";
import { type MailCap, mailCapsOf } from "./mail-caps.ts";
import type { Mailer } from "./mailer.ts";
import type { SignInCodes } from "./sign-in-codes.ts";
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
  readonly codes: SignInCodes;
  readonly keptNames: KeptNames;
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

/** Limits that all callers share: one caller that uses them up keeps others from signing in. */
const COMMON_CAPS: readonly MailCap[] = ["new_to_domain", "new", "all"];

/** Handles requests for a sign-in code: creates the code and the mail. */
export class SignInOutbox {
  readonly #deps: Deps;
  readonly #outcomes = { handled: 0, failed: 0, dead: 0 };
  readonly #capped: Record<MailCap, number> = {
    mailbox_from_asker: 0,
    mailbox: 0,
    address: 0,
    new_from_address: 0,
    new_to_domain: 0,
    new: 0,
    all: 0,
  };
  readonly #alarmed = new Map<MailCap, number>();
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

  /** Since the start: mails that were not sent because of a day's limit, by the limit. */
  get capped(): Readonly<Record<MailCap, number>> {
    return this.#capped;
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

  async #sendCode(request: SignInRequest): Promise<"done" | "later"> {
    const { store, codes, keptNames, mailer, publicUrl, clock } = this.#deps;
    const { asker, attempts } = request;
    const email = parseEmailAddress(request.email);
    if (email === null) return "done";
    const user = await findUserByEmail(store.db, email);
    if (user !== null && user.disabledAtMs !== null) return "done";
    // A refusal at the first attempt: a code was sent less than a minute ago or five times this hour.
    // At a later one the process may have stopped between the count and the mail.
    const receiver = keptNames.ofReceiver(`${email} ${asker}`);
    if (!(await spendCode(store.db, receiver, clock.nowMs())))
      return attempts === 0 ? "done" : "later";
    if (attempts === 0 && !(await this.#isWithinCaps(request, { email, isNew: user === null })))
      return "done";
    const code = await codes.make(email, asker);
    await mailer.send(signInMail({ to: email, code, publicUrl }));
    this.#sendFailures.succeeded();
    this.#lostMails.succeeded();
    return "done";
  }

  async #isWithinCaps(
    { asker, address, isFromKnownBrowser }: SignInRequest,
    { email, isNew }: { readonly email: EmailAddress; readonly isNew: boolean },
  ): Promise<boolean> {
    const { store, keptNames, clock, log } = this.#deps;
    const mailbox = keptNames.ofMailbox(email);
    const isToNewUser = isNew;
    const mail = { email, mailbox, asker, address, isFromKnownBrowser, isToNewUser };
    const day = dayOf(clock.nowMs());
    const reached = await spendDailyLimits(store.db, mailCapsOf(mail), day);
    if (reached === null) return true;
    const { name, limit } = reached;
    this.#capped[name]++;
    if (COMMON_CAPS.includes(name) && this.#alarmed.get(name) !== day) {
      this.#alarmed.set(name, day);
      log.error(
        { cap: name, limit },
        "a day's limit of sign-in mails is reached; further codes are not sent until 00:00 UTC",
      );
    }
    return false;
  }
}
