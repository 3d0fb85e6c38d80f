import type { UserId } from "#src/store/user-id.ts";
import type { TierName, UserTier } from "./tiers.ts";

/** The caller of a request. `address` has the form of `countedAddress`. */
export type Caller = AnonymousCaller | UserCaller;

export type AnonymousCaller = { readonly kind: "anonymous"; readonly address: string };

export type UserCaller = {
  readonly kind: "user";
  readonly userId: UserId;
  readonly tier: UserTier;
  readonly via: Credential;
};

/** How a user authenticated. */
export type Credential =
  | { readonly kind: "api-key"; readonly id: string }
  | { readonly kind: "cookie"; readonly sessionId: string; readonly sinceMs: number }
  | { readonly kind: "bearer"; readonly sessionId: string; readonly sinceMs: number }
  /** `sinceMs`: when its user signed in at the provider; null if the token does not say. */
  | { readonly kind: "foreign-token"; readonly sinceMs: number | null };

export function callerTier(caller: Caller): TierName {
  return caller.kind === "anonymous" ? "anonymous" : caller.tier;
}

/** The subject whose counters a request belongs to: the user, for every credential. */
export function quotaSubject(caller: Caller): string {
  return caller.kind === "anonymous" ? `address:${caller.address}` : quotaSubjectOf(caller.userId);
}

export function quotaSubjectOf(userId: UserId): string {
  return `user:${userId}`;
}
