import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { type Batched, batched } from "#src/platform/batched.ts";
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
import type { AccessFeed } from "./access-feed.ts";
import { apiKeyHint, hashApiKey, isApiKeyText, newApiKeyText } from "./api-key-text.ts";
import type { UserCaller } from "./caller.ts";
import { DAY_MS, dayOf } from "./quotas.ts";
import { parseUserTier } from "./tiers.ts";

/** How long the old key works on after a rotation. */
export const ROTATION_OVERLAP_MS = DAY_MS;
const WRITE_USES_EVERY_MS = 5_000;
const REMEMBERED_KEYS = 10_000;
/** Keys looked up by one query at the most. */
const LOOKED_UP_AT_ONCE = 500;

export type IssuedApiKey = { readonly id: string; readonly text: string; readonly hint: string };

export type ApiKeyUsage = Pick<ApiKeyRecord, "lastUsedAtMs" | "usedToday">;

/** A key that was checked: whose it is, and how its uses are counted. */
export type KnownKey = {
  readonly caller: UserCaller;
  readonly keyId: string;
  readonly expiresAtMs: number;
  /** Where its uses of a day were counted last, until they are written. */
  pending: PendingUse | null;
};

type PendingUse = { readonly day: number; uses: number; lastUsedAtMs: number; isTaken: boolean };

/**
 * API keys: given out, checked, replaced, revoked. A key that was checked is remembered in the
 * clear, in memory, until its user changes anything: the next check takes well under 5 us. Each
 * request that a key was good for is a use of it, answered or refused.
 */
export class ApiKeys {
  readonly #store: Store;
  readonly #db: Kysely<Schema>;
  readonly #feed: AccessFeed;
  readonly #prefix: string;
  readonly #nowMs: () => number;
  readonly #remembered = new Map<string, KnownKey>();
  /** By the key's hash. A start meets all keys at once. */
  readonly #ownerOf: Batched<ApiKeyOwner>;
  /** How often somebody's keys were forgotten: what was read before may not hold after. */
  #forgets = 0;
  /** Uses not written yet, by key and day. */
  #pending = new Map<string, Map<number, PendingUse>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(deps: {
    readonly store: Store;
    readonly feed: AccessFeed;
    readonly prefix: string;
    readonly nowMs: () => number;
  }) {
    this.#store = deps.store;
    this.#db = deps.store.db;
    this.#ownerOf = batched((hashes) => findApiKeyOwners(this.#db, hashes), LOOKED_UP_AT_ONCE);
    this.#feed = deps.feed;
    this.#prefix = deps.prefix;
    this.#nowMs = deps.nowMs;
    deps.feed.onChange((userId) => this.#forgetUser(userId));
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      // What a failed write leaves stays pending for the next one.
      this.writeUses().catch(() => undefined);
    }, WRITE_USES_EVERY_MS).unref();
  }

  /** Writes the uses that are pending. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.writeUses();
  }

  /**
   * A key that was checked before and still holds; null where that is to be asked. It is no use of the
   * key yet: who answers by it says so with `noteUse`.
   */
  recall(text: string, nowMs: number): KnownKey | null {
    const known = this.#remembered.get(text);
    if (known === undefined || known.expiresAtMs <= nowMs) return null;
    return this.#feed.isCurrent(nowMs) ? known : null;
  }

  noteUse(known: KnownKey, nowMs: number): void {
    const { pending } = known;
    if (pending === null || pending.isTaken || pending.day !== dayOf(nowMs)) {
      known.pending = this.#addUses(known.keyId, dayOf(nowMs), { uses: 1, lastUsedAtMs: nowMs });
      return;
    }
    pending.uses++;
    if (nowMs > pending.lastUsedAtMs) pending.lastUsedAtMs = nowMs;
  }

  /**
   * The caller behind a key; null where it is malformed, unknown, revoked, over, or its user disabled.
   * Counts as a use.
   */
  async check(text: string, nowMs: number): Promise<UserCaller | null> {
    const known = this.recall(text, nowMs) ?? (await this.#lookedUp(text, nowMs));
    if (known === null) return null;
    this.noteUse(known, nowMs);
    return known.caller;
  }

  async #lookedUp(text: string, nowMs: number): Promise<KnownKey | null> {
    if (!isApiKeyText(text)) return null;
    const forgetsBefore = this.#forgets;
    const owner = (await this.#ownerOf(hashApiKey(text))) ?? null;
    const tier = owner === null ? null : parseUserTier(owner.tier);
    const expiresAtMs = owner?.expiresAtMs ?? Infinity;
    if (owner === null || tier === null || expiresAtMs <= nowMs) {
      this.#remembered.delete(text);
      return null;
    }
    const { keyId, userId } = owner;
    const caller: UserCaller = { kind: "user", userId, tier, via: { kind: "api-key", id: keyId } };
    const known = { caller, keyId, expiresAtMs, pending: null };
    if (this.#forgets === forgetsBefore) this.#remember(text, known);
    return known;
  }

  /** The user's first key, or null where there is a current one already. */
  async activate(userId: UserId): Promise<IssuedApiKey | null> {
    const { issued, row } = this.#newKey(userId);
    return (await addFirstApiKey(this.#db, row, this.#nowMs())) ? issued : null;
  }

  /** A new key for the current one, which works 24 hours more; null where there is none. */
  async rotate(userId: UserId): Promise<IssuedApiKey | null> {
    const nowMs = this.#nowMs();
    const { issued, row } = this.#newKey(userId);
    const times = { nowMs, oldUntilMs: nowMs + ROTATION_OVERLAP_MS };
    const isReplaced = await replaceApiKey(this.#db, row, times);
    this.#feed.announce(userId);
    return isReplaced ? issued : null;
  }

  /** Ends a key at once. @returns whether the user had such a key */
  async revoke(userId: UserId, keyId: string): Promise<boolean> {
    const isKnown = await revokeApiKey(this.#db, { userId, keyId }, this.#nowMs());
    this.#feed.announce(userId);
    return isKnown;
  }

  /** Every key the user ever had, newest first, with its uses up to this moment. */
  async list(userId: UserId): Promise<readonly ApiKeyRecord[]> {
    const day = dayOf(this.#nowMs());
    const records = await apiKeysOfUser(this.#db, userId, day);
    return records.map((record) => {
      const pending = this.#pending.get(record.id)?.get(day);
      if (pending === undefined) return record;
      const { uses, lastUsedAtMs } = pending;
      return { ...record, lastUsedAtMs, usedToday: record.usedToday + uses };
    });
  }

  /** Writes the uses counted since the last time. What can't be written stays for the next time. */
  async writeUses(): Promise<void> {
    const pending = this.#pending;
    if (pending.size === 0) return;
    this.#pending = new Map();
    const uses = [...pending].flatMap(([keyId, days]) =>
      Array.from(days.values(), (use) => {
        use.isTaken = true;
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

  #remember(text: string, known: KnownKey): void {
    if (this.#remembered.size >= REMEMBERED_KEYS) {
      const { value: oldest } = this.#remembered.keys().next();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(text, known);
  }

  #forgetUser(userId: UserId): void {
    this.#forgets++;
    for (const [text, { caller }] of this.#remembered)
      if (caller.userId === userId) this.#remembered.delete(text);
  }

  /** @returns where further uses of that day are counted until they are written */
  #addUses(
    keyId: string,
    day: number,
    added: { readonly uses: number; readonly lastUsedAtMs: number },
  ): PendingUse {
    const days = this.#pending.get(keyId) ?? new Map<number, PendingUse>();
    this.#pending.set(keyId, days);
    const pending = days.get(day) ?? { day, uses: 0, lastUsedAtMs: 0, isTaken: false };
    days.set(day, pending);
    pending.uses += added.uses;
    pending.lastUsedAtMs = Math.max(pending.lastUsedAtMs, added.lastUsedAtMs);
    return pending;
  }
}
