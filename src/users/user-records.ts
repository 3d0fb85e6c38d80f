import { dayOf, type WallClock } from "#src/platform/clock.ts";
import type { Store } from "#src/store/schema.ts";
import { type Session, sessionsOfUser } from "#src/store/sessions.ts";
import { deleteUserData, readUserData, type UserData } from "#src/store/user-data.ts";
import type { UserId } from "#src/store/user-id.ts";
import { findUser, type User } from "#src/store/users.ts";
import type { AccessCacheSync } from "./access-cache-sync.ts";
import type { KeptNames } from "./kept-usage.ts";

export type UserRecords = {
  readonly find: (userId: UserId) => Promise<User | null>;
  /** Valid sessions, newest first. */
  readonly sessions: (userId: UserId) => Promise<readonly Session[]>;
  /** All data stored about a user; null if there is no such user. */
  readonly read: (userId: UserId) => Promise<UserData | null>;
  /** Deletes a user and all data stored about them. @returns whether the user existed */
  readonly remove: (userId: UserId) => Promise<boolean>;
};

export function createUserRecords(deps: {
  readonly store: Store;
  readonly cacheSync: AccessCacheSync;
  readonly keptNames: KeptNames;
  readonly clock: WallClock;
}): UserRecords {
  const { store, cacheSync, keptNames, clock } = deps;
  return {
    find: (userId) => findUser(store.db, userId),
    sessions: (userId) => sessionsOfUser(store, userId, clock.nowMs()),
    read: (userId) =>
      readUserData(store, userId, { nowMs: clock.nowMs(), day: dayOf(clock.nowMs()) }),
    async remove(userId) {
      const isRemoved = await deleteUserData(store.db, userId, {
        nowMs: clock.nowMs(),
        kept: { day: dayOf(clock.nowMs()), ...keptNames },
      });
      cacheSync.invalidate(userId);
      return isRemoved;
    },
  };
}
