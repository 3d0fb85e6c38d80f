import { join } from "node:path";
import type { WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import type { Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import { AccessCacheSync } from "./access-cache-sync.ts";
import { ApiKeys } from "./api-keys.ts";
import { createAskers } from "./askers.ts";
import { type Browsers, createBrowsers } from "./browsers.ts";
import { FixedWindows, type Windows } from "./fixed-windows.ts";
import { createForeignTokens } from "./foreign-tokens.ts";
import { createFunnel, type Funnel } from "./funnel.ts";
import { deleteExpiredRows } from "./housekeeping.ts";
import { createKeptNames } from "./kept-usage.ts";
import { createFileMailer, createSmtpMailer, type Mailer } from "./mailer.ts";
import { createNotices, type Notices } from "./notices.ts";
import { sessionCookie } from "./own-cookie.ts";
import { createPageTokens, type PageTokens } from "./page-tokens.ts";
import { createQuotas, type Quotas } from "./quotas.ts";
import { Sessions } from "./sessions.ts";
import { createSignIn, type SignIn } from "./sign-in.ts";
import { createSignInCodes } from "./sign-in-codes.ts";
import { createSignInLibrary } from "./sign-in-library.ts";
import { SignInOutbox } from "./sign-in-outbox.ts";
import { createUserRecords, type UserRecords } from "./user-records.ts";

const HOUSEKEEPING_EVERY_MS = 3_600_000;

/** Callers and what they are allowed to do, as the API uses it. */
export type Users = {
  readonly quotas: Quotas;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly records: UserRecords;
  readonly funnel: Funnel;
  readonly pageTokens: PageTokens;
  readonly browsers: Browsers;
  readonly notices: Notices;
  /** Counts of the last minutes, shared with other processes if there are several. */
  readonly windows: Windows;
  readonly outbox: SignInOutbox;
  /** Calls `listener` with each user of whom a key or session may have ended, in any process. */
  readonly onAccessChange: (listener: (userId: UserId) => void) => void;
  /** Starts the background work: sign-in mails, cache invalidation, housekeeping. */
  readonly start: () => void;
  /** Stops it and writes pending key uses. The database may be closed afterwards. */
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
  /** Counts fair use together with other processes; by default in this process. */
  readonly windows?: Windows;
  readonly clock: WallClock;
  readonly log: FailureLogger;
};

export function createUsers(deps: UsersDeps): Users {
  const { store, mailer, clock, log, publicUrl } = deps;
  const windows = deps.windows ?? new FixedWindows();
  const library = createSignInLibrary(deps);
  const cookie = sessionCookie(publicUrl);
  const cacheSync = new AccessCacheSync({ db: store.db, clock, log });
  const apiKeys = new ApiKeys({ store, cacheSync, prefix: deps.apiKeyPrefix, clock, log });
  const foreignTokens =
    deps.foreignIdentity === null ? null : createForeignTokens(deps.foreignIdentity);
  const keptNames = createKeptNames(deps.authSecret);
  const browsers = createBrowsers(deps);
  const notices = createNotices({ mailer, publicUrl, log });
  const codes = createSignInCodes(deps);
  const outbox = new SignInOutbox({ store, codes, keptNames, mailer, publicUrl, clock, log });
  const sessions = new Sessions({ store, library, cookie, foreignTokens, keptNames, cacheSync });
  const housekeeping = new Poller({
    run: () => deleteExpiredRows(store, clock.nowMs()),
    everyMs: HOUSEKEEPING_EVERY_MS,
    failures: new FailureLog({
      log,
      what: "delete expired sessions and counts",
      next: "retrying in an hour",
    }),
  });
  return {
    quotas: createQuotas({ db: store.db, windows }),
    windows,
    apiKeys,
    sessions,
    signIn: createSignIn({
      store,
      library,
      codes,
      askers: createAskers({ authSecret: deps.authSecret, browsers }),
      browsers,
      keptNames,
      notices,
      cookie,
      sessions,
      cacheSync,
      clock,
    }),
    records: createUserRecords({ store, cacheSync, keptNames, clock }),
    browsers,
    notices,
    funnel: createFunnel({ db: store.db, clock }),
    pageTokens: createPageTokens(deps),
    outbox,
    onAccessChange: (listener) => cacheSync.onChange(listener),
    start() {
      cacheSync.start();
      apiKeys.start();
      outbox.start();
      housekeeping.start();
      housekeeping.runNow().catch(() => undefined);
    },
    async close() {
      await housekeeping.close();
      await outbox.close();
      await cacheSync.close();
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
  readonly clock: WallClock;
  readonly log: Pick<FailureLogger, "info">;
}): Mailer {
  const { smtpUrl, mailFrom, dataDir, clock, log } = settings;
  if (smtpUrl !== null) return createSmtpMailer({ smtpUrl, mailFrom });
  return createFileMailer({
    directory: join(dataDir, "mail"),
    mailFrom,
    clock,
    onFile: (path) => log.info({ path }, "wrote a mail"),
  });
}
