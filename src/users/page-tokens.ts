import { createHmac, timingSafeEqual } from "node:crypto";
import { secretFor } from "./auth-secret.ts";
import { ownCookie } from "./own-cookie.ts";

const VALID_MS = 12 * 3_600_000;
const RENEW_AFTER_MS = 3_600_000;
const FORM = /^([0-9a-z]{8,9})\.([\w-]{43})$/;

/**
 * Tokens by which a request is known to come from a dashboard page that this service sent. Each is
 * valid for twelve hours; requests of an open page renew it.
 */
export type PageTokens = {
  /** The Set-Cookie header with a new token. */
  readonly cookie: (nowMs: number) => string;
  /** Null: the Cookie header has no valid token. */
  readonly check: (
    cookies: string | undefined,
    nowMs: number,
  ) => { readonly isRenewalDue: boolean } | null;
};

export function createPageTokens(settings: {
  readonly authSecret: string;
  readonly publicUrl: string;
}): PageTokens {
  const secret = secretFor("page-tokens", settings.authSecret);
  const cookie = ownCookie(settings.publicUrl, "-page", "Strict");
  const sign = (issued: string): string =>
    createHmac("sha256", secret).update(issued).digest("base64url");
  return {
    cookie(nowMs) {
      const issued = nowMs.toString(36);
      return cookie.header(`${issued}.${sign(issued)}`, VALID_MS / 1000);
    },
    check(cookies, nowMs) {
      const [, issued = "", signature = ""] = FORM.exec(cookie.read(cookies) ?? "") ?? [];
      if (issued === "") return null;
      const ageMs = nowMs - Number.parseInt(issued, 36);
      if (ageMs > VALID_MS) return null;
      if (!timingSafeEqual(Buffer.from(signature), Buffer.from(sign(issued)))) return null;
      return { isRenewalDue: ageMs > RENEW_AFTER_MS };
    },
  };
}
