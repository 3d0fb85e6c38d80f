import Type from "typebox";
import type { ApiKeys } from "#src/users/api-keys.ts";
import type { UserCaller } from "#src/users/caller.ts";
import type { UserRecords } from "#src/users/user-records.ts";
import { EXAMPLE_EMAIL, EXAMPLE_TIME } from "../examples.ts";
import { nullable, Timestamp, timestamp, timestampOrNull } from "../values.ts";

/** Users, their API keys and their sessions, as several endpoints return them. */

type User = NonNullable<Awaited<ReturnType<UserRecords["find"]>>>;
type Session = Awaited<ReturnType<UserRecords["sessions"]>>[number];
type ApiKey = Awaited<ReturnType<ApiKeys["list"]>>[number];
type IssuedApiKey = NonNullable<Awaited<ReturnType<ApiKeys["activate"]>>>;

export const USER_FIELDS = {
  user_id: Type.String({ format: "uuid" }),
  email: nullable(Type.String()),
  tier: Type.String(),
  created_at: Timestamp,
};

export function userBody(user: User) {
  return {
    user_id: user.id,
    email: user.email,
    tier: user.tier,
    created_at: timestamp(user.createdAtMs),
  };
}

export const USER_EXAMPLE = {
  user_id: "0190a6c4-7b5e-7000-8000-000000000001",
  email: EXAMPLE_EMAIL,
  tier: "free",
  created_at: EXAMPLE_TIME,
};

export const ApiKeyItem = Type.Object(
  {
    id: Type.String(),
    hint: Type.String({ description: "The key's first and last characters" }),
    status: Type.Enum(["active", "expiring", "expired", "revoked"]),
    created_at: Timestamp,
    expires_at: nullable(Timestamp),
    revoked_at: nullable(Timestamp),
    last_used_at: nullable(Timestamp),
    used_today: Type.Integer(),
  },
  { $id: "ApiKey" },
);

/** `status`: `active`, `expiring` (replaced, works until expires_at), `expired` or `revoked`. */
export function apiKeyBody(key: ApiKey, nowMs: number) {
  return {
    id: key.id,
    hint: key.hint,
    status: apiKeyStatus(key, nowMs),
    created_at: timestamp(key.createdAtMs),
    expires_at: timestampOrNull(key.expiresAtMs),
    revoked_at: timestampOrNull(key.revokedAtMs),
    last_used_at: timestampOrNull(key.lastUsedAtMs),
    used_today: key.usedToday,
  };
}

function apiKeyStatus({ revokedAtMs, expiresAtMs }: ApiKey, nowMs: number) {
  if (revokedAtMs !== null) return "revoked";
  if (expiresAtMs === null) return "active";
  return nowMs < expiresAtMs ? "expiring" : "expired";
}

export const KEY_EXAMPLE = {
  id: "k1",
  hint: "exi_ab…9z",
  status: "active",
  created_at: EXAMPLE_TIME,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  used_today: 3,
};

const IssuedKeyBody = Type.Object(
  {
    status: Type.Literal("created"),
    id: Type.String(),
    key: Type.String({ description: "Shown this once" }),
    hint: Type.String(),
  },
  { $id: "IssuedKey" },
);

/** A new key: the only answer that contains its text. */
export function issuedKeyBody(key: IssuedApiKey) {
  return { status: "created", id: key.id, key: key.text, hint: key.hint };
}

export const ISSUED_KEY_RESPONSE = {
  description: "Shown this once",
  schema: IssuedKeyBody,
  example: { status: "created", id: "k1", key: "exi_…", hint: "exi_ab…9z" },
};

export const SessionItem = Type.Object(
  {
    id: Type.String(),
    is_current: Type.Boolean(),
    created_at: Timestamp,
    expires_at: Timestamp,
    user_agent: nullable(Type.String()),
  },
  { $id: "Session" },
);

export function sessionBody(session: Session, currentId: string | null) {
  return {
    id: session.id,
    is_current: session.id === currentId,
    created_at: timestamp(session.createdAtMs),
    expires_at: timestamp(session.expiresAtMs),
    user_agent: session.userAgent,
  };
}

export const SESSION_EXAMPLE = {
  id: "s1",
  is_current: true,
  created_at: EXAMPLE_TIME,
  expires_at: "2026-12-21T12:00:00.000Z",
  user_agent: "curl/8",
};

/** Null for a caller without a session of ours. */
export function sessionIdOf({ via }: UserCaller): string | null {
  return via.kind === "cookie" || via.kind === "bearer" ? via.sessionId : null;
}
