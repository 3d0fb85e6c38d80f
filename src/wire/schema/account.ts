import Type from "typebox";
import { AlertItem, ChannelItem } from "./alert.ts";
import { AddressText, nullable, Timestamp } from "./value.ts";

const User = {
  user_id: Type.String({ format: "uuid" }),
  email: nullable(Type.String()),
  tier: Type.String(),
  created_at: Timestamp,
};

export const AccountBody = Type.Object(
  {
    ...User,
    limits: Type.Object({
      daily_queries: nullable(Type.Integer(), "null: no daily gate"),
      watchlist_tokens: Type.Integer(),
      fair_use_per_minute: Type.Integer(),
    }),
    usage: Type.Object({
      policy: Type.Enum(["day", "minute"]),
      limit: Type.Integer(),
      used: Type.Integer(),
      remaining: Type.Integer(),
      resets_at: Timestamp,
    }),
  },
  { $id: "Account" },
);

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

export const IssuedKeyBody = Type.Object(
  {
    status: Type.Literal("created"),
    id: Type.String(),
    key: Type.String({ description: "Shown this once" }),
    hint: Type.String(),
  },
  { $id: "IssuedKey" },
);

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

export const ExportBody = Type.Object(
  {
    exported_at: Timestamp,
    user: Type.Object(User),
    identities: Type.Array(Type.Object({ issuer: Type.String(), subject: Type.String() })),
    sessions: Type.Array(SessionItem),
    api_keys: Type.Array(ApiKeyItem),
    daily_usage: Type.Array(Type.Object({ day: Type.String(), used: Type.Integer() })),
    waitlist: nullable(Type.Object({ origen: Type.String(), created_at: Timestamp })),
    events: Type.Array(
      Type.Object({
        event_name: Type.String(),
        payload: nullable(Type.Record(Type.String(), Type.Unknown())),
        utm_source: nullable(Type.String()),
        utm_medium: nullable(Type.String()),
        utm_campaign: nullable(Type.String()),
        at: Timestamp,
      }),
    ),
    watchlist: Type.Array(
      Type.Object({
        mint: AddressText,
        size_sol: Type.Number(),
        alerts_enabled: Type.Boolean(),
        created_at: Timestamp,
      }),
    ),
    channels: Type.Array(ChannelItem),
    alerts: Type.Array(AlertItem),
  },
  { $id: "AccountExport" },
);

/** `{ items: [...] }`. */
export function itemsOf<Item extends Type.TSchema>(item: Item) {
  return Type.Object({ items: Type.Array(item) });
}
