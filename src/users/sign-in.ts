import { dayOf, type WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { deleteOtherSessions, deleteSession } from "#src/store/sessions.ts";
import { requestSignIn } from "#src/store/sign-in-requests.ts";
import { copyDailyUsage } from "#src/store/usage.ts";
import type { UserId } from "#src/store/user-id.ts";
import { createUserForEmail, findUserByEmail, type User } from "#src/store/users.ts";
import type { AccessCacheSync } from "./access-cache-sync.ts";
import type { Asker, Askers } from "./askers.ts";
import type { Browsers } from "./browsers.ts";
import { quotaSubjectOf } from "./caller.ts";
import type { EmailAddress } from "./email-address.ts";
import type { KeptNames } from "./kept-usage.ts";
import type { Notices } from "./notices.ts";
import type { OwnCookie } from "./own-cookie.ts";
import type { Sessions } from "./sessions.ts";
import type { SignInCodes } from "./sign-in-codes.ts";
import { SESSION_VALID_SECONDS, type SignInLibrary } from "./sign-in-library.ts";

const LONGEST_USER_AGENT = 256;

export type SignedIn = {
  /** Set-Cookie headers: the session first, then the browser in which the user signed in. */
  readonly cookies: readonly string[];
  /** The same session as a bearer token. */
  readonly accessToken: string;
  readonly expiresAtMs: number;
};

export type SignIn = {
  /** Stores the request; the outbox creates the code and the mail. */
  readonly requestCode: (email: EmailAddress, asker: Asker) => Promise<void>;
  /** Creates the user where there is none, and ends the session that the browser had. Null if the code is wrong, of
   * another asker, expired, used, or has had too many guesses; the reason is not returned. */
  readonly signIn: (attempt: SignInAttempt) => Promise<SignedIn | null>;
  /** Ends one session everywhere. @returns whether the user had it */
  readonly endSession: (userId: UserId, sessionId: string) => Promise<boolean>;
  /** Ends every session of the user but `keep`. @returns how many */
  readonly endOtherSessions: (userId: UserId, keep: string | null) => Promise<number>;
  /** The Set-Cookie header that deletes the session cookie. */
  readonly forgetCookie: string;
};

export type SignInAttempt = {
  readonly email: EmailAddress;
  readonly code: string;
  readonly userAgent: string | null;
  readonly asker: Asker;
};

export function createSignIn(deps: {
  readonly store: Store;
  readonly library: SignInLibrary;
  readonly codes: SignInCodes;
  readonly askers: Askers;
  readonly browsers: Browsers;
  readonly keptNames: KeptNames;
  readonly notices: Notices;
  readonly cookie: OwnCookie;
  readonly sessions: Pick<Sessions, "ofCookie">;
  readonly cacheSync: AccessCacheSync;
  readonly clock: WallClock;
}): SignIn {
  const { store, library, codes, askers, browsers, keptNames, notices, sessions } = deps;
  const { cookie, cacheSync, clock } = deps;
  async function begin(userId: UserId, userAgent: string | null): Promise<SignedIn> {
    const headers = new Headers();
    if (userAgent !== null)
      headers.set(
        "user-agent",
        userAgent.replaceAll(/[^\x20-\x7e]/g, "").slice(0, LONGEST_USER_AGENT),
      );
    const answer = await library.api.beginSession({
      body: { userId },
      headers,
      returnHeaders: true,
    });
    const session = answer.headers.get("set-cookie");
    const accessToken = answer.headers.get("set-auth-token");
    if (session === null || accessToken === null)
      throw new Error("the sign-in library returned no session");
    return {
      cookies: [session],
      accessToken,
      expiresAtMs: clock.nowMs() + SESSION_VALID_SECONDS * 1000,
    };
  }

  /** The user of a code that was right, created where there is none; null for a disabled one. */
  async function userOf(email: EmailAddress): Promise<{ user: User; isNew: boolean } | null> {
    const nowMs = clock.nowMs();
    const createdId = await createUserForEmail(store, email, nowMs);
    if (createdId !== null) {
      const subjects = { from: keptNames.ofEmail(email), to: quotaSubjectOf(createdId) };
      await copyDailyUsage(store.db, { ...subjects, day: dayOf(nowMs) });
    }
    const user = await findUserByEmail(store.db, email);
    // Sessions of disabled users are invalid, and not issued.
    if (user === null || user.disabledAtMs !== null) return null;
    return { user, isNew: createdId !== null };
  }

  async function endSession(userId: UserId, sessionId: string): Promise<boolean> {
    const isEnded = await deleteSession(store.db, { userId, sessionId }, clock.nowMs());
    cacheSync.invalidate(userId);
    return isEnded;
  }

  /** A browser loses its cookie's session to the next one; what it has open as the user before must end. */
  async function endReplaced(cookies = ""): Promise<void> {
    const before = await sessions.ofCookie(cookies, clock.nowMs());
    if (before?.via.kind === "cookie") await endSession(before.userId, before.via.sessionId);
  }

  return {
    requestCode: (email, asker) =>
      requestSignIn(store.db, askers.requestOf(email, asker), clock.nowMs()),
    async signIn({ email, code, userAgent, asker }) {
      // The code first: checked after the user, the answer time would show who has an account.
      if (!(await codes.use({ email, askers: askers.namesOf(asker), code }))) return null;
      const found = await userOf(email);
      if (found === null) return null;
      const session = await begin(found.user.id, userAgent);
      await endReplaced(asker.cookies);
      const browser = askers.browserOf(asker);
      const isKnown = browser !== null && browsers.isKnown(browser, email);
      if (!found.isNew && !isKnown) notices.send(email, "sign-in");
      const cookies = [...session.cookies];
      if (browser !== null) cookies.push(browsers.signedInCookie(browser, email));
      return { ...session, cookies };
    },
    endSession,
    async endOtherSessions(userId, keep) {
      const ended = await deleteOtherSessions(store.db, { userId, keep }, clock.nowMs());
      cacheSync.invalidate(userId);
      return ended;
    },
    forgetCookie: cookie.header("", 0),
  };
}
