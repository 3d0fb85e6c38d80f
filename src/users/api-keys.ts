import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { batchedLookup } from "#src/platform/batcher.ts";
import { BoundedMap } from "#src/platform/bounded-map.ts";
import { dayOf, MS_PER_DAY, type WallClock } from "#src/platform/clock.ts";
import { FailureLog, type FailureLogger } from "#src/platform/failure-log.ts";
import { Poller } from "#src/platform/poller.ts";
import type { ApiKeyOwner, ApiKeyRecord, NewApiKey } from "#src/store/api-keys.ts";
import {
  addApiKeyUses,
  addFirstApiKey,
  apiKeysOfUser,
  findApiKeyOwners,
  replaceApiKey,
  revokeApiKey,
} from "#src/store/api-keys.ts";
import type { Schema, Store } from "#src/store/schema.ts";
import type { UserId } from "#src/store/user-id.ts";
import type { AccessCacheSync } from "./access-cache-sync.ts";
import { apiKeyHint, hashApiKey, isApiKeyText, newApiKeyText } from "./api-key-text.ts";
import type { UserCaller } from "./caller.ts";
import { parseUserTier } from "./tiers.ts";

/** The old key remains valid for this long after a rotation. */
const ROTATION_OVERLAP_MS = MS_PER_DAY;
const WRITE_USES_EVERY_MS = 5_000;
const CACHED_KEYS = 10_000;
/** Keys per query. */
const OWNERS_BATCH = 500;

export type IssuedApiKey = { readonly id: string; readonly text: string; readonly hint: string };

/** A checked key, its user, and the counter of its uses. */
export type KnownKey = {
  readonly caller: UserCaller;
  readonly keyId: string;
  readonly expiresAtMs: number;
  /** The counter of its last use; null before the first. */
  pending: PendingUse | null;
};

type PendingUse = { readonly day: number; uses: number; lastUsedAtMs: number; isWritten: boolean };

/**
 * Issues, checks, rotates and revokes API keys. A checked key is cached in memory, in clear text,
 * until its user's access changes: a cached check takes well under 5 us. Each request with a valid
 * key is a use of it, answered or refused.
 */
export class ApiKeys {
  readonly #store: Store;
  readonly #db: Kysely<Schema>;
  readonly #cacheSync: AccessCacheSync;
  readonly #prefix: string;
  readonly #clock: WallClock;
  readonly #cache = new BoundedMap<string, KnownKey>(CACHED_KEYS);
  /** By the key's hash; batched because all keys are read again after a start. */
  readonly #ownerOf: (hash: string) => Promise<ApiKeyOwner | undefined>;
  /** Counts invalidations: an owner read before one must not be cached after it. */
  #invalidations = 0;
  /** Uses that are not written yet, by key and day. */
  #pending = new Map<string, Map<number, PendingUse>>();
  readonly #poller: Poller;

  constructor(deps: {
    readonly store: Store;
    readonly cacheSync: AccessCacheSync;
    readonly prefix: string;
    readonly clock: WallClock;
    readonly log: FailureLogger | null;
  }) {
    this.#store = deps.store;
    this.#db = deps.store.db;
    const find = (hashes: readonly string[]) => findApiKeyOwners(this.#db, hashes);
    this.#ownerOf = batchedLookup(find, OWNERS_BATCH);
    this.#cacheSync = deps.cacheSync;
    this.#prefix = deps.prefix;
    this.#clock = deps.clock;
    deps.cacheSync.onChange((userId) => this.#dropUser(userId));
    this.#poller = new Poller({
      run: () => this.#writePending(),
      everyMs: WRITE_USES_EVERY_MS,
      failures: new FailureLog({
        log: deps.log,
        what: "write the uses of API keys",
        next: `they are kept in memory; retrying every ${WRITE_USES_EVERY_MS / 1000} s`,
      }),
    });
  }

  start(): void {
    this.#poller.start();
  }

  /** Writes the pending uses. */
  async close(): Promise<void> {
    await this.#poller.close();
    await this.#writePending();
  }

  /** A cached key that is still valid; null if it has to be checked. Count its use with `noteUse`. */
  cached(text: string, nowMs: number): KnownKey | null {
    const known = this.#cache.get(text);
    if (known === undefined || known.expiresAtMs <= nowMs) return null;
    return this.#cacheSync.isCurrent(nowMs) ? known : null;
  }

  noteUse(known: KnownKey, nowMs: number): void {
    const { pending } = known;
    if (pending === null || pending.isWritten || pending.day !== dayOf(nowMs)) {
      known.pending = this.#addUses(known.keyId, dayOf(nowMs), { uses: 1, lastUsedAtMs: nowMs });
      return;
    }
    pending.uses++;
    if (nowMs > pending.lastUsedAtMs) pending.lastUsedAtMs = nowMs;
  }

  /**
   * The caller of a key, counted as a use; null if the key is malformed, unknown, revoked or expired,
   * or its user disabled.
   */
  async check(text: string, nowMs: number): Promise<UserCaller | null> {
    const known = await this.#known(text, nowMs);
    if (known === null) return null;
    this.noteUse(known, nowMs);
    return known.caller;
  }

  /** Whether `check` would give a caller; counts no use. */
  async isValid(text: string, nowMs: number): Promise<boolean> {
    return (await this.#known(text, nowMs)) !== null;
  }

  async #known(text: string, nowMs: number): Promise<KnownKey | null> {
    return this.cached(text, nowMs) ?? (await this.#read(text, nowMs));
  }

  async #read(text: string, nowMs: number): Promise<KnownKey | null> {
    if (!isApiKeyText(text)) return null;
    const invalidationsBefore = this.#invalidations;
    const owner = (await this.#ownerOf(hashApiKey(text))) ?? null;
    const tier = owner === null ? null : parseUserTier(owner.tier);
    const expiresAtMs = owner?.expiresAtMs ?? Infinity;
    if (owner === null || tier === null || expiresAtMs <= nowMs) {
      this.#cache.delete(text);
      return null;
    }
    const { keyId, userId } = owner;
    const caller: UserCaller = { kind: "user", userId, tier, via: { kind: "api-key", id: keyId } };
    const known = { caller, keyId, expiresAtMs, pending: null };
    if (this.#invalidations === invalidationsBefore) this.#cache.set(text, known);
    return known;
  }

  /** Issues the user's first key; null if there is a current one. */
  async activate(userId: UserId): Promise<IssuedApiKey | null> {
    const { issued, row } = this.#newKey(userId);
    return (await addFirstApiKey(this.#db, row, this.#clock.nowMs())) ? issued : null;
  }

  /** Issues a new key; the current one stays valid for 24 hours. Null if there is no current key. */
  async rotate(userId: UserId): Promise<IssuedApiKey | null> {
    const nowMs = this.#clock.nowMs();
    const { issued, row } = this.#newKey(userId);
    const times = { nowMs, oldUntilMs: nowMs + ROTATION_OVERLAP_MS };
    const isReplaced = await replaceApiKey(this.#store, row, times);
    this.#cacheSync.invalidate(userId);
    return isReplaced ? issued : null;
  }

  /** Revokes a key at once. @returns whether the user had that key */
  async revoke(userId: UserId, keyId: string): Promise<boolean> {
    const isKnown = await revokeApiKey(this.#db, { userId, keyId }, this.#clock.nowMs());
    this.#cacheSync.invalidate(userId);
    return isKnown;
  }

  /** Every key the user ever had, newest first, with its uses until now. */
  async list(userId: UserId): Promise<readonly ApiKeyRecord[]> {
    const day = dayOf(this.#clock.nowMs());
    const records = await apiKeysOfUser(this.#db, userId, day);
    return records.map((record) => {
      const pending = this.#pending.get(record.id)?.get(day);
      if (pending === undefined) return record;
      const { uses, lastUsedAtMs } = pending;
      return { ...record, lastUsedAtMs, usedToday: record.usedToday + uses };
    });
  }

  /** Writes the pending uses. If that fails they stay pending. */
  writeUses(): Promise<void> {
    return this.#poller.runNow();
  }

  async #writePending(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return;
    this.#pending = new Map();
    const uses = [...pending].flatMap(([keyId, days]) =>
      Array.from(days.values(), (use) => {
        use.isWritten = true;
        return { keyId, day: use.day, uses: use.uses, lastUsedAtMs: use.lastUsedAtMs };
      }),
    );
    try {
      await addApiKeyUses(this.#store, uses);
    } catch (cause) {
      for (const { keyId, day, uses: count, lastUsedAtMs } of uses)
        this.#addUses(keyId, day, { uses: count, lastUsedAtMs });
      throw cause;
    }
  }

  #newKey(userId: UserId): { readonly issued: IssuedApiKey; readonly row: NewApiKey } {
    const text = newApiKeyText(this.#prefix);
    const id = randomUUID();
    const hint = apiKeyHint(text);
    return { issued: { id, text, hint }, row: { id, userId, hash: hashApiKey(text), hint } };
  }

  #dropUser(userId: UserId): void {
    this.#invalidations++;
    for (const [text, { caller }] of this.#cache)
      if (caller.userId === userId) this.#cache.delete(text);
  }

  /** @returns the counter for further uses of that day, until it is written */
  #addUses(
    keyId: string,
    day: number,
    added: { readonly uses: number; readonly lastUsedAtMs: number },
  ): PendingUse {
    const days = this.#pending.get(keyId) ?? new Map<number, PendingUse>();
    this.#pending.set(keyId, days);
    const pending = days.get(day) ?? { day, uses: 0, lastUsedAtMs: 0, isWritten: false };
    days.set(day, pending);
    pending.uses += added.uses;
    pending.lastUsedAtMs = Math.max(pending.lastUsedAtMs, added.lastUsedAtMs);
    return pending;
  }
}
