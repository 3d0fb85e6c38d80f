import { join } from "node:path";
import type { BaseLogger } from "pino";
import type { Store } from "#src/store/schema.ts";
import { AccessFeed } from "./access-feed.ts";
import { type Accounts, createAccounts } from "./account.ts";
import { ApiKeys } from "./api-keys.ts";
import type { Windows } from "./fixed-windows.ts";
import { createForeignTokens } from "./foreign-tokens.ts";
import { createFunnel, type Funnel } from "./funnel.ts";
import { tidyUp } from "./housekeeping.ts";
import { createFileMailer, createSmtpMailer, type Mailer } from "./mailer.ts";
import { createQuotas, type Quotas } from "./quotas.ts";
import { Sessions } from "./sessions.ts";
import { createSignIn, type SignIn, sessionCookieOf } from "./sign-in.ts";
import { createSignInLibrary } from "./sign-in-library.ts";
import { SignInOutbox } from "./sign-in-outbox.ts";

const TIDY_UP_EVERY_MS = 3_600_000;

/** Everything about who calls and what they may: what routes are given. */
export type Users = {
  readonly quotas: Quotas;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly accounts: Accounts;
  readonly funnel: Funnel;
  readonly outbox: SignInOutbox;
  /** Begins what runs beside requests: mails, changes made elsewhere, tidying up. */
  readonly start: () => void;
  /** Stops it, and writes what is pending. The database may be closed after it. */
  readonly close: () => Promise<void>;
};

export type UsersDeps = {
  readonly store: Store;
  readonly mailer: Mailer;
  readonly authSecret: string;
  readonly publicUrl: string;
  readonly apiKeyPrefix: string;
  readonly foreignIdentity: {
    readonly issuer: string;
    readonly audience: string;
    readonly jwksUrl: string;
  } | null;
  /** Where fair use is counted together with other processes. */
  readonly windows?: Windows;
  readonly nowMs: () => number;
  readonly log: Pick<BaseLogger, "warn" | "error">;
};

export async function createUsers(deps: UsersDeps): Promise<Users> {
  const { store, mailer, nowMs, log, publicUrl } = deps;
  const library = createSignInLibrary(deps);
  const sessionCookie = await sessionCookieOf(library);
  const feed = new AccessFeed({ db: store.db, nowMs });
  const apiKeys = new ApiKeys({ store, feed, prefix: deps.apiKeyPrefix, nowMs });
  const foreignTokens =
    deps.foreignIdentity === null ? null : createForeignTokens(deps.foreignIdentity);
  const outbox = new SignInOutbox({ store, library, mailer, publicUrl, nowMs, log });
  let tidying: NodeJS.Timeout | null = null;
  let tidied: Promise<void> = Promise.resolve();
  const tidy = () => {
    tidied = tidyUp(store, nowMs()).catch((err: unknown) => log.warn({ err }, "could not tidy up"));
  };
  return {
    quotas: createQuotas({ db: store.db, ...(deps.windows && { windows: deps.windows }) }),
    apiKeys,
    sessions: new Sessions({ store, library, cookieName: sessionCookie.name, foreignTokens, feed }),
    signIn: createSignIn({ store, library, sessionCookie, feed, nowMs }),
    accounts: createAccounts({ store, feed, nowMs }),
    funnel: createFunnel({ db: store.db, nowMs }),
    outbox,
    start() {
      feed.start();
      apiKeys.start();
      outbox.start();
      tidying ??= setInterval(tidy, TIDY_UP_EVERY_MS).unref();
      tidy();
    },
    async close() {
      if (tidying !== null) clearInterval(tidying);
      await tidied;
      await outbox.close();
      await feed.close();
      await apiKeys.close();
      mailer.close();
    },
  };
}

/** Mail through the operator's server, or, without one, files in `dataDir`/mail. */
export function createMailer(settings: {
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  readonly dataDir: string;
  readonly nowMs: () => number;
  readonly log: Pick<BaseLogger, "info">;
}): Mailer {
  const { smtpUrl, mailFrom, dataDir, nowMs, log } = settings;
  if (smtpUrl !== null) return createSmtpMailer({ smtpUrl, mailFrom });
  return createFileMailer({
    directory: join(dataDir, "mail"),
    mailFrom,
    nowMs,
    onFile: (path) => log.info({ path }, "wrote a mail"),
  });
}
