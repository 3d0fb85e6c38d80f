import { type AccountData, deleteAccountData, readAccountData } from "#src/store/account-data.ts";
import type { Store } from "#src/store/schema.ts";
import { type Session, sessionsOfUser } from "#src/store/sessions.ts";
import type { UserId } from "#src/store/user-id.ts";
import { findUser, type User } from "#src/store/users.ts";
import type { AccessFeed } from "./access-feed.ts";
import { dayOf } from "./quotas.ts";

export type Accounts = {
  readonly find: (userId: UserId) => Promise<User | null>;
  /** Sessions that still hold, newest first. */
  readonly sessions: (userId: UserId) => Promise<readonly Session[]>;
  /** Everything kept about a user; null where there is no such user. */
  readonly read: (userId: UserId) => Promise<AccountData | null>;
  /** Deletes a user with everything kept about them. @returns whether there was one */
  readonly remove: (userId: UserId) => Promise<boolean>;
};

export function createAccounts(deps: {
  readonly store: Store;
  readonly feed: AccessFeed;
  readonly nowMs: () => number;
}): Accounts {
  const { store, feed, nowMs } = deps;
  return {
    find: (userId) => findUser(store.db, userId),
    sessions: (userId) => sessionsOfUser(store, userId, nowMs()),
    read: (userId) => readAccountData(store, userId, { nowMs: nowMs(), day: dayOf(nowMs()) }),
    async remove(userId) {
      const isRemoved = await deleteAccountData(store.db, userId, nowMs());
      feed.announce(userId);
      return isRemoved;
    },
  };
}
