import { isAPIError } from "better-auth/api";
import type { Store } from "#src/store/schema.ts";
import { deleteOtherSessions, deleteSession } from "#src/store/sessions.ts";
import { requestSignIn } from "#src/store/sign-in-requests.ts";
import { parseUserId, type UserId } from "#src/store/user-id.ts";
import { findUser } from "#src/store/users.ts";
import type { AccessFeed } from "./access-feed.ts";
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
  /** Writes the request down; account, code and mail follow from it. */
  readonly requestCode: (email: EmailAddress) => Promise<void>;
  /** Null where the code is wrong, over, used, or guessed at too often: which, is not said. */
  readonly signIn: (attempt: SignInAttempt) => Promise<SignedIn | null>;
  /** Ends one session everywhere. @returns whether the user had it */
  readonly endSession: (userId: UserId, sessionId: string) => Promise<boolean>;
  /** Ends every session of the user but `keep`. @returns how many */
  readonly endOtherSessions: (userId: UserId, keep: string | null) => Promise<number>;
  /** The Set-Cookie header that makes a browser forget its session. */
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
  readonly feed: AccessFeed;
  readonly nowMs: () => number;
}): SignIn {
  const { store, library, sessionCookie, feed, nowMs } = deps;
  /** A session of a disabled user's does not hold; it stays unknown to them too. */
  async function isDisabled(id: string): Promise<boolean> {
    const userId = parseUserId(id);
    const user = userId === null ? null : await findUser(store.db, userId);
    return user === null || user.disabledAtMs !== null;
  }

  return {
    requestCode: (email) => requestSignIn(store.db, email, nowMs()),
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
      // Only now: before, the time of the answer would tell who has an account.
      if (await isDisabled(answer.response.user.id)) return null;
      const cookie = answer.headers.get("set-cookie");
      const accessToken = answer.headers.get("set-auth-token");
      if (cookie === null || accessToken === null)
        throw new Error("the sign-in library gave no session");
      return { cookie, accessToken, expiresAtMs: nowMs() + SESSION_VALID_SECONDS * 1000 };
    },
    async endSession(userId, sessionId) {
      const isEnded = await deleteSession(store.db, { userId, sessionId }, nowMs());
      feed.announce(userId);
      return isEnded;
    },
    async endOtherSessions(userId, keep) {
      const ended = await deleteOtherSessions(store.db, { userId, keep }, nowMs());
      feed.announce(userId);
      return ended;
    },
    forgetCookie: `${sessionCookie.name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${sessionCookie.isSecure ? "; Secure" : ""}`,
  };
}

export type SessionCookie = { readonly name: string; readonly isSecure: boolean };

/** What the library calls its session's cookie. */
export async function sessionCookieOf(library: SignInLibrary): Promise<SessionCookie> {
  const { sessionToken } = (await library.$context).authCookies;
  return { name: sessionToken.name, isSecure: sessionToken.attributes.secure === true };
}
