import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { secretFor } from "./auth-secret.ts";
import { ownCookie } from "./own-cookie.ts";

const ID_BYTES = 16;
const FORM = /^([\w-]{22})(?:\.([\w-]{43}))?$/;
const VALID_SECONDS = 180 * 86_400;

/** A browser, by the cookie that came with a page of the dashboard. */
export type Browser = {
  /** Known to this browser and to us alone: a code that is requested under it can be used under it. */
  readonly id: string;
  /** Proves that an address signed in here before; null: none did. */
  readonly proof: string | null;
};

export type Browsers = {
  /** The browser of a Cookie header; null if the header names none. */
  readonly read: (cookies: string | undefined) => Browser | null;
  /** The Set-Cookie header that gives a browser its id. */
  readonly newCookie: () => string;
  /** The Set-Cookie header of a browser in which this address has signed in. */
  readonly signedInCookie: (browser: Browser, email: string) => string;
  /** The Set-Cookie header that makes a browser unknown again. */
  readonly forgetCookie: string;
  /** Whether this address signed in from this browser before. */
  readonly isKnown: (browser: Browser, email: string) => boolean;
};

/**
 * Cookies that distinguish browsers before any user signs in: a code belongs to the browser that asked
 * for it. SameSite=Lax, so that a page opened from a mail is still the same browser.
 */
export function createBrowsers(settings: {
  readonly authSecret: string;
  readonly publicUrl: string;
}): Browsers {
  const secret = secretFor("browsers", settings.authSecret);
  const cookie = ownCookie(settings.publicUrl, "-browser");
  const proofOf = (id: string, email: string): string =>
    createHmac("sha256", secret).update(`${id}/${email}`).digest("base64url");
  return {
    read(cookies) {
      const [, id, proof = null] = FORM.exec(cookie.read(cookies) ?? "") ?? [];
      return id === undefined ? null : { id, proof };
    },
    newCookie: () => cookie.header(randomBytes(ID_BYTES).toString("base64url"), VALID_SECONDS),
    signedInCookie: ({ id }, email) => cookie.header(`${id}.${proofOf(id, email)}`, VALID_SECONDS),
    forgetCookie: cookie.header("", 0),
    isKnown: ({ id, proof }, email) =>
      proof !== null && timingSafeEqual(Buffer.from(proof), Buffer.from(proofOf(id, email))),
  };
}
