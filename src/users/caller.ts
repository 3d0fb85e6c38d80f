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

/** Whose counters a request of this caller's belongs to: the account, whatever the credential. */
export function quotaSubject(caller: Caller): string {
  return caller.kind === "anonymous" ? `address:${caller.address}` : userSubject(caller.userId);
}

export function userSubject(userId: UserId): string {
  return `user:${userId}`;
}
