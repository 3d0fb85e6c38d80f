import { alertItem, type ShownAlert } from "./alert.ts";
import { channelBody, type ShownChannel } from "./channel.ts";
import { lamportsToSol } from "./exitability.ts";
import { timestamp } from "./timestamp.ts";

/** What a user is shown about their account: the JSON of /api/account. */

type Limits = {
  readonly dailyQueries: number | null;
  readonly watchlistTokens: number;
  readonly fairUsePerMinute: number;
};

type Standing = {
  readonly policy: "day" | "minute";
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetAtMs: number;
};

type ShownUser = {
  readonly id: string;
  readonly email: string | null;
  readonly tier: string;
  readonly createdAtMs: number;
};

type ShownKey = {
  readonly id: string;
  readonly hint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
  readonly usedToday: number;
};

type ShownSession = {
  readonly id: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly userAgent: string | null;
};

function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}

export function userBody(user: ShownUser) {
  return {
    user_id: user.id,
    email: user.email,
    tier: user.tier,
    created_at: timestamp(user.createdAtMs),
  };
}

export function accountBody(input: {
  readonly user: ShownUser;
  readonly limits: Limits;
  readonly standing: Standing;
}) {
  const { user, limits, standing } = input;
  return {
    ...userBody(user),
    limits: {
      daily_queries: limits.dailyQueries,
      watchlist_tokens: limits.watchlistTokens,
      fair_use_per_minute: limits.fairUsePerMinute,
    },
    usage: {
      policy: standing.policy,
      limit: standing.limit,
      used: standing.used,
      remaining: standing.remaining,
      resets_at: timestamp(standing.resetAtMs),
    },
  };
}

/** `status`: `active`, `expiring` (replaced, works until expires_at), `expired` or `revoked`. */
export function apiKeyBody(key: ShownKey, nowMs: number) {
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

function apiKeyStatus({ revokedAtMs, expiresAtMs }: ShownKey, nowMs: number) {
  if (revokedAtMs !== null) return "revoked";
  if (expiresAtMs === null) return "active";
  return nowMs < expiresAtMs ? "expiring" : "expired";
}

/** A key that was just made: the one time that it is shown. */
export function issuedKeyBody(key: {
  readonly id: string;
  readonly text: string;
  readonly hint: string;
}) {
  return { status: "created", id: key.id, key: key.text, hint: key.hint };
}

export function sessionBody(session: ShownSession, currentId: string | null) {
  return {
    id: session.id,
    is_current: session.id === currentId,
    created_at: timestamp(session.createdAtMs),
    expires_at: timestamp(session.expiresAtMs),
    user_agent: session.userAgent,
  };
}

/** Everything kept about a user, for them to take along. */
export function exportBody(
  data: {
    readonly user: ShownUser;
    readonly foreignIdentities: readonly { readonly issuer: string; readonly subject: string }[];
    readonly sessions: readonly ShownSession[];
    readonly apiKeys: readonly ShownKey[];
    readonly dailyUsage: readonly { readonly day: number; readonly used: number }[];
    readonly waitlist: { readonly origin: string; readonly createdAtMs: number } | null;
    readonly events: readonly {
      readonly eventName: string;
      readonly payload: Readonly<Record<string, unknown>> | null;
      readonly utmSource: string | null;
      readonly utmMedium: string | null;
      readonly utmCampaign: string | null;
      readonly atMs: number;
    }[];
    readonly watchlist: readonly {
      readonly mint: string;
      readonly sizeLamports: bigint;
      readonly areAlertsEnabled: boolean;
      readonly createdAtMs: number;
    }[];
    readonly channels: readonly ShownChannel[];
    readonly alerts: readonly ShownAlert[];
  },
  nowMs: number,
) {
  return {
    exported_at: timestamp(nowMs),
    user: userBody(data.user),
    identities: data.foreignIdentities,
    sessions: data.sessions.map((session) => sessionBody(session, null)),
    api_keys: data.apiKeys.map((key) => apiKeyBody(key, nowMs)),
    daily_usage: data.dailyUsage.map(({ day, used }) => ({
      day: timestamp(day * 86_400_000).slice(0, 10),
      used,
    })),
    waitlist:
      data.waitlist === null
        ? null
        : { origen: data.waitlist.origin, created_at: timestamp(data.waitlist.createdAtMs) },
    events: data.events.map((event) => ({
      event_name: event.eventName,
      payload: event.payload,
      utm_source: event.utmSource,
      utm_medium: event.utmMedium,
      utm_campaign: event.utmCampaign,
      at: timestamp(event.atMs),
    })),
    watchlist: data.watchlist.map((entry) => ({
      mint: entry.mint,
      size_sol: lamportsToSol(entry.sizeLamports),
      alerts_enabled: entry.areAlertsEnabled,
      created_at: timestamp(entry.createdAtMs),
    })),
    channels: data.channels.map(channelBody),
    alerts: data.alerts.map((alert) => alertItem(alert, "en")),
  };
}
