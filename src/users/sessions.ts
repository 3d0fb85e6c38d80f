import type { Store } from "#src/store/schema.ts";
import { parseUserId, type UserId } from "#src/store/user-id.ts";
import { findUser, type User, userOfForeignIdentity } from "#src/store/users.ts";
import type { AccessFeed } from "./access-feed.ts";
import type { Credential, UserCaller } from "./caller.ts";
import type { ForeignTokens } from "./foreign-tokens.ts";
import type { SignInLibrary } from "./sign-in-library.ts";
import { parseUserTier } from "./tiers.ts";

const BELIEVED_MS = 15_000;
const REMEMBERED_SESSIONS = 10_000;
const LONGEST_CREDENTIAL = 8_192;

type Remembered = { readonly caller: UserCaller; readonly untilMs: number };

/**
 * Says whose a session is: our own by cookie or by signed bearer token, or a foreign provider's
 * access token. What was checked is believed for 15 seconds, or until its user changes anything.
 */
export class Sessions {
  readonly #store: Store;
  readonly #library: SignInLibrary;
  readonly #foreignTokens: ForeignTokens | null;
  readonly #feed: AccessFeed;
  readonly #cookieName: string;
  readonly #remembered = new Map<string, Remembered>();

  constructor(deps: {
    readonly store: Store;
    readonly library: SignInLibrary;
    readonly cookieName: string;
    readonly foreignTokens: ForeignTokens | null;
    readonly feed: AccessFeed;
  }) {
    this.#store = deps.store;
    this.#library = deps.library;
    this.#cookieName = deps.cookieName;
    this.#foreignTokens = deps.foreignTokens;
    this.#feed = deps.feed;
    deps.feed.onChange((userId) => this.#forgetUser(userId));
  }

  /** The caller behind a Cookie header; null where it carries no session that holds. */
  async ofCookie(header: string, nowMs: number): Promise<UserCaller | null> {
    const value = cookieValue(header, this.#cookieName);
    if (value === null || !isCredential(value)) return null;
    return this.#ask(`cookie ${value}`, nowMs, () => {
      const headers = new Headers({ cookie: `${this.#cookieName}=${value}` });
      return this.#ownSession(headers, "cookie");
    });
  }

  /** The caller behind a bearer token; null where it does not hold. */
  async ofBearer(token: string, nowMs: number): Promise<UserCaller | null> {
    if (!isCredential(token)) return null;
    return this.#ask(`bearer ${token}`, nowMs, () =>
      token.split(".").length === 3
        ? this.#foreignSession(token, nowMs)
        : this.#ownSession(new Headers({ authorization: `Bearer ${token}` }), "bearer"),
    );
  }

  async #ask(
    credential: string,
    nowMs: number,
    look: () => Promise<Remembered | null>,
  ): Promise<UserCaller | null> {
    const known = this.#remembered.get(credential);
    if (known !== undefined && nowMs < known.untilMs && this.#feed.isCurrent(nowMs))
      return known.caller;
    this.#remembered.delete(credential);
    const found = await look();
    if (found === null || found.untilMs <= nowMs) return null;
    this.#makeRoom();
    const untilMs = Math.min(found.untilMs, nowMs + BELIEVED_MS);
    this.#remembered.set(credential, { caller: found.caller, untilMs });
    return found.caller;
  }

  async #ownSession(headers: Headers, kind: "cookie" | "bearer"): Promise<Remembered | null> {
    const found = await this.#library.api.getSession({ headers });
    if (found === null) return null;
    const userId = parseUserId(found.user.id);
    const user = userId === null ? null : await findUser(this.#store.db, userId);
    const untilMs = found.session.expiresAt.getTime();
    return user === null ? null : remembered(user, { kind, sessionId: found.session.id }, untilMs);
  }

  async #foreignSession(token: string, nowMs: number): Promise<Remembered | null> {
    const identity = (await this.#foreignTokens?.verify(token, nowMs)) ?? null;
    if (identity === null) return null;
    const { issuer, subject, expiresAtMs } = identity;
    const user = await userOfForeignIdentity(this.#store, { issuer, subject }, nowMs);
    return remembered(user, { kind: "foreign-token" }, expiresAtMs);
  }

  #forgetUser(userId: UserId): void {
    for (const [credential, { caller }] of this.#remembered)
      if (caller.userId === userId) this.#remembered.delete(credential);
  }

  #makeRoom(): void {
    if (this.#remembered.size < REMEMBERED_SESSIONS) return;
    const { value: oldest } = this.#remembered.keys().next();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}

function remembered(user: User, via: Credential, untilMs: number): Remembered | null {
  const tier = parseUserTier(user.tier);
  if (tier === null || user.disabledAtMs !== null) return null;
  return { caller: { kind: "user", userId: user.id, tier, via }, untilMs };
}

function isCredential(text: string): boolean {
  return text.length <= LONGEST_CREDENTIAL && /^[!-~]+$/.test(text);
}

function cookieValue(header: string, name: string): string | null {
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return null;
}
