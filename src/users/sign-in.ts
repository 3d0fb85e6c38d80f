import { isAPIError } from "better-auth/api";
import type { WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { deleteOtherSessions, deleteSession } from "#src/store/sessions.ts";
import { requestSignIn } from "#src/store/sign-in-requests.ts";
import { parseUserId, type UserId } from "#src/store/user-id.ts";
import { findUser } from "#src/store/users.ts";
import type { AccessCacheSync } from "./access-cache-sync.ts";
import type { EmailAddress } from "./email-address.ts";
import { CODE_DIGITS, SESSION_VALID_SECONDS, type SignInLibrary } from "./sign-in-library.ts";

const CODE_FORM = new RegExp(`^\\d{${CODE_DIGITS}}$`);
const LONGEST_USER_AGENT = 256;

export type SignedIn = {
  /** For the Set-Cookie header. */
  readonly cookie: string;
  /** The same session as a bearer token. */
  readonly accessToken: string;
  readonly expiresAtMs: number;
};

export type SignIn = {
  /** Stores the request; the outbox creates the user, the code and the mail. */
  readonly requestCode: (email: EmailAddress) => Promise<void>;
  /** Null if the code is wrong, expired, used, or has had too many guesses; the reason is not returned. */
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
};

export function createSignIn(deps: {
  readonly store: Store;
  readonly library: SignInLibrary;
  readonly sessionCookie: SessionCookie;
  readonly cacheSync: AccessCacheSync;
  readonly clock: WallClock;
}): SignIn {
  const { store, library, sessionCookie, cacheSync, clock } = deps;
  /** Sessions of disabled users are invalid, and not issued. */
  async function isDisabled(id: string): Promise<boolean> {
    const userId = parseUserId(id);
    const user = userId === null ? null : await findUser(store.db, userId);
    return user === null || user.disabledAtMs !== null;
  }

  return {
    requestCode: (email) => requestSignIn(store.db, email, clock.nowMs()),
    async signIn({ email, code, userAgent }) {
      if (!CODE_FORM.test(code)) return null;
      const headers = new Headers();
      if (userAgent !== null)
        headers.set(
          "user-agent",
          userAgent.replaceAll(/[^\x20-\x7e]/g, "").slice(0, LONGEST_USER_AGENT),
        );
      const answer = await library.api
        .signInEmailOTP({ body: { email, otp: code }, headers, returnHeaders: true })
        .catch((cause: unknown) => {
          if (isAPIError(cause) && cause.statusCode < 500) return null;
          throw cause;
        });
      if (answer === null) return null;
      // Checked after the code: checked before, the answer time would show who has an account.
      if (await isDisabled(answer.response.user.id)) return null;
      const cookie = answer.headers.get("set-cookie");
      const accessToken = answer.headers.get("set-auth-token");
      if (cookie === null || accessToken === null)
        throw new Error("the sign-in library returned no session");
      return { cookie, accessToken, expiresAtMs: clock.nowMs() + SESSION_VALID_SECONDS * 1000 };
    },
    async endSession(userId, sessionId) {
      const isEnded = await deleteSession(store.db, { userId, sessionId }, clock.nowMs());
      cacheSync.invalidate(userId);
      return isEnded;
    },
    async endOtherSessions(userId, keep) {
      const ended = await deleteOtherSessions(store.db, { userId, keep }, clock.nowMs());
      cacheSync.invalidate(userId);
      return ended;
    },
    forgetCookie: `${sessionCookie.name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${sessionCookie.isSecure ? "; Secure" : ""}`,
  };
}

export type SessionCookie = { readonly name: string; readonly isSecure: boolean };

/** The name and security of the library's session cookie. */
export async function sessionCookieOf(library: SignInLibrary): Promise<SessionCookie> {
  const { sessionToken } = (await library.$context).authCookies;
  return { name: sessionToken.name, isSecure: sessionToken.attributes.secure === true };
}
