import type { UserId } from "#src/store/user-id.ts";
import type { TierName, UserTier } from "./tiers.ts";

/** Who asks. `address` is as `countedAddress` has it. */
export type Caller = AnonymousCaller | UserCaller;

export type AnonymousCaller = { readonly kind: "anonymous"; readonly address: string };

export type UserCaller = {
  readonly kind: "user";
  readonly userId: UserId;
  readonly tier: UserTier;
  readonly via: Credential;
};

/** How a user proved who they are. */
export type Credential =
  | { readonly kind: "api-key"; readonly id: string }
  | { readonly kind: "cookie"; readonly sessionId: string }
  | { readonly kind: "bearer"; readonly sessionId: string }
  | { readonly kind: "foreign-token" };

export function callerTier(caller: Caller): TierName {
  return caller.kind === "anonymous" ? "anonymous" : caller.tier;
}

/** A remembered caller's subject is made once: as the key of a map a new text is slow. */
const subjects = new WeakMap<UserCaller, string>();

/** Whose counters a request of this caller's belongs to: the account, whatever the credential. */
export function quotaSubject(caller: Caller): string {
  if (caller.kind === "anonymous") return `address:${caller.address}`;
  const known = subjects.get(caller);
  if (known !== undefined) return known;
  const subject = userSubject(caller.userId);
  subjects.set(caller, subject);
  return subject;
}

export function userSubject(userId: UserId): string {
  return `user:${userId}`;
}
