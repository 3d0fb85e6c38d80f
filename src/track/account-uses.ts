import type { AccountUse, FollowedAccount, FollowedToken } from "./live-state.ts";

/** Uses of an account of one pool: the pool may be followed for both of its tokens, and as a hop. */
const MOST_OWN_USES = 4;

export function forEachUse({ uses }: FollowedAccount, visit: (use: AccountUse) => void): void {
  if (uses === null) return;
  if (uses instanceof Set) for (const use of uses) visit(use);
  else visit(uses);
}

/** Whether the condition holds for every use; true if there is none. */
export function isEveryUse(
  { uses }: FollowedAccount,
  condition: (use: AccountUse) => boolean,
): boolean {
  if (uses === null) return true;
  if (!(uses instanceof Set)) return condition(uses);
  for (const use of uses) if (!condition(use)) return false;
  return true;
}

/** Whether every use is for this token. No function for each call: it is asked of all accounts in use. */
export function isOnlyOf({ uses }: FollowedAccount, token: FollowedToken): boolean {
  if (uses === null) return true;
  if (!(uses instanceof Set)) return tokenOf(uses) === token;
  for (const use of uses) if (tokenOf(use) !== token) return false;
  return true;
}

/** Accounts of many pools, such as configurations, do not change with one of them. */
export function isShared({ uses }: FollowedAccount): boolean {
  return uses instanceof Set && uses.size > MOST_OWN_USES;
}

/** The token that the use is for; null: a hop's, which is for many. */
export function tokenOf(use: AccountUse): FollowedToken | null {
  switch (use.kind) {
    case "pool-need":
      return use.pool.group.token;
    case "vacancy":
      return use.group.token;
    case "mint":
      return use.token;
  }
}
