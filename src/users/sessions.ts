import { BoundedMap } from "#src/platform/bounded-map.ts";
import { dayOf } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { copyDailyUsage } from "#src/store/usage.ts";
import { parseUserId, type UserId } from "#src/store/user-id.ts";
import { findUser, type User, userOfForeignIdentity } from "#src/store/users.ts";
import type { AccessCacheSync } from "./access-cache-sync.ts";
import { type Credential, quotaSubjectOf, type UserCaller } from "./caller.ts";
import type { ForeignTokens } from "./foreign-tokens.ts";
import type { KeptNames } from "./kept-usage.ts";
import type { OwnCookie } from "./own-cookie.ts";
import type { SignInLibrary } from "./sign-in-library.ts";
import { parseUserTier } from "./tiers.ts";

const CACHED_MS = 15_000;
const CACHED_SESSIONS = 10_000;
const LONGEST_CREDENTIAL = 8_192;

type CachedSession = { readonly caller: UserCaller; readonly untilMs: number };

/**
 * Identifies the user of a session: our own by cookie or signed bearer token, or another provider's
 * access token. A checked session is cached for 15 seconds, or until the user's access changes.
 */
export class Sessions {
  readonly #store: Store;
  readonly #library: SignInLibrary;
  readonly #foreignTokens: ForeignTokens | null;
  readonly #keptNames: KeptNames;
  readonly #cacheSync: AccessCacheSync;
  readonly #cookie: OwnCookie;
  readonly #cache = new BoundedMap<string, CachedSession>(CACHED_SESSIONS);
  /** Counts invalidations: a session read before one must not be cached after it. */
  #invalidations = 0;

  constructor(deps: {
    readonly store: Store;
    readonly library: SignInLibrary;
    readonly cookie: OwnCookie;
    readonly foreignTokens: ForeignTokens | null;
    readonly keptNames: KeptNames;
    readonly cacheSync: AccessCacheSync;
  }) {
    this.#store = deps.store;
    this.#library = deps.library;
    this.#cookie = deps.cookie;
    this.#foreignTokens = deps.foreignTokens;
    this.#keptNames = deps.keptNames;
    this.#cacheSync = deps.cacheSync;
    deps.cacheSync.onChange((userId) => this.#dropUser(userId));
  }

  /** The caller of a Cookie header; null if it has no valid session. */
  async ofCookie(header: string, nowMs: number): Promise<UserCaller | null> {
    const value = this.#cookie.read(header);
    if (value === null || !isCredential(value)) return null;
    return this.#cachedOr(`cookie ${value}`, nowMs, () => {
      const headers = new Headers({ cookie: `${this.#cookie.name}=${value}` });
      return this.#ownSession(headers, "cookie");
    });
  }

  /** The caller of a bearer token; null if it is not valid. */
  async ofBearer(token: string, nowMs: number): Promise<UserCaller | null> {
    if (!isCredential(token)) return null;
    return this.#cachedOr(`bearer ${token}`, nowMs, () =>
      token.split(".").length === 3
        ? this.#foreignSession(token, nowMs)
        : this.#ownSession(new Headers({ authorization: `Bearer ${token}` }), "bearer"),
    );
  }

  async #cachedOr(
    credential: string,
    nowMs: number,
    load: () => Promise<CachedSession | null>,
  ): Promise<UserCaller | null> {
    const cached = this.#cache.get(credential);
    if (cached !== undefined && nowMs < cached.untilMs && this.#cacheSync.isCurrent(nowMs))
      return cached.caller;
    this.#cache.delete(credential);
    const invalidationsBefore = this.#invalidations;
    const found = await load();
    if (found === null || found.untilMs <= nowMs) return null;
    const untilMs = Math.min(found.untilMs, nowMs + CACHED_MS);
    if (this.#invalidations === invalidationsBefore)
      this.#cache.set(credential, { caller: found.caller, untilMs });
    return found.caller;
  }

  async #ownSession(headers: Headers, kind: "cookie" | "bearer"): Promise<CachedSession | null> {
    const found = await this.#library.api.getSession({ headers });
    if (found === null) return null;
    const userId = parseUserId(found.user.id);
    const user = userId === null ? null : await findUser(this.#store.db, userId);
    const untilMs = found.session.expiresAt.getTime();
    const sinceMs = found.session.createdAt.getTime();
    return user === null
      ? null
      : sessionOf(user, { kind, sessionId: found.session.id, sinceMs }, untilMs);
  }

  async #foreignSession(token: string, nowMs: number): Promise<CachedSession | null> {
    const identity = (await this.#foreignTokens?.verify(token, nowMs)) ?? null;
    if (identity === null) return null;
    const { issuer, subject, sinceMs, expiresAtMs } = identity;
    const user = await userOfForeignIdentity(this.#store, { issuer, subject }, nowMs);
    if (user.createdAtMs === nowMs) {
      const from = this.#keptNames.ofIdentity({ issuer, subject });
      const to = quotaSubjectOf(user.id);
      await copyDailyUsage(this.#store.db, { from, to, day: dayOf(nowMs) });
    }
    return sessionOf(user, { kind: "foreign-token", sinceMs }, expiresAtMs);
  }

  #dropUser(userId: UserId): void {
    this.#invalidations++;
    for (const [credential, { caller }] of this.#cache)
      if (caller.userId === userId) this.#cache.delete(credential);
  }
}

function sessionOf(user: User, via: Credential, untilMs: number): CachedSession | null {
  const tier = parseUserTier(user.tier);
  if (tier === null || user.disabledAtMs !== null) return null;
  return { caller: { kind: "user", userId: user.id, tier, via }, untilMs };
}

function isCredential(text: string): boolean {
  return text.length <= LONGEST_CREDENTIAL && /^[!-~]+$/.test(text);
}
