import type { BaseLogger } from "pino";
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

/** Independent of when requests come, so that what one of them costs shows in no answer's time. */
const LOOK_EVERY_MS = 250;
const BATCH = 20;
/** Mails under way at once. */
const LANES = 4;
const LEASE_MS = 60_000;
/** Not before the mailbox may be sent another code. */
const RETRY_AFTER_MS = 61_000;
const ATTEMPTS = 5;

type Deps = {
  readonly store: Store;
  readonly library: SignInLibrary;
  readonly mailer: Mailer;
  readonly publicUrl: string;
  readonly nowMs: () => number;
  readonly log: Pick<BaseLogger, "warn" | "error">;
};

/** Turns requests for a code into accounts, codes and mails. */
export class SignInOutbox {
  readonly #deps: Deps;
  readonly #outcomes = { handled: 0, failed: 0, dead: 0 };
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<number> | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Since the start: requests that were seen to, attempts that failed, and mails that were given up. */
  get outcomes(): { readonly handled: number; readonly failed: number; readonly dead: number } {
    return this.#outcomes;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      this.runDue().catch((err: unknown) =>
        this.#deps.log.warn({ err }, "sign-in requests could not be looked at"),
      );
    }, LOOK_EVERY_MS).unref();
  }

  /** Works through what is due. @returns how many requests it took */
  runDue(): Promise<number> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Finishes the batch at hand; what is left is there at the next start. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#running?.catch(() => undefined);
  }

  async #run(): Promise<number> {
    const { store, nowMs } = this.#deps;
    const claim = { limit: BATCH, leaseMs: LEASE_MS, nowMs: nowMs() };
    const requests = await claimSignInRequests(store, claim);
    const waiting = [...requests];
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await this.#handle(next);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return requests.length;
  }

  async #handle(request: SignInRequest): Promise<void> {
    const { store, nowMs, log } = this.#deps;
    try {
      if ((await this.#sendCode(request)) === "done") {
        await finishSignInRequest(store.db, request.id);
        this.#outcomes.handled++;
        return;
      }
    } catch (err) {
      this.#outcomes.failed++;
      log.warn({ err, attempts: request.attempts + 1 }, "a sign-in mail could not be sent");
    }
    if (request.attempts + 1 < ATTEMPTS) {
      await postponeSignInRequest(store.db, request.id, nowMs() + RETRY_AFTER_MS);
      return;
    }
    log.error({ attempts: ATTEMPTS }, "a sign-in mail was given up");
    this.#outcomes.dead++;
    await finishSignInRequest(store.db, request.id);
  }

  async #sendCode({ email: text, attempts }: SignInRequest): Promise<"done" | "later"> {
    const { store, library, mailer, publicUrl, nowMs } = this.#deps;
    const email = parseEmailAddress(text);
    if (email === null) return "done";
    await createUserForEmail(store, email, nowMs());
    const user = await findUserByEmail(store.db, email);
    if (user === null || user.disabledAtMs !== null) return "done";
    // A first attempt that is refused has had its code sent already, less than a minute ago or five
    // times this hour. A later one may have been cut off between the count and the mail.
    if (!(await spendCode(store.db, email, nowMs()))) return attempts === 0 ? "done" : "later";
    const code = await library.api.createVerificationOTP({ body: { email, type: "sign-in" } });
    await mailer.send(signInMail({ to: email, code, publicUrl }));
    return "done";
  }
}
