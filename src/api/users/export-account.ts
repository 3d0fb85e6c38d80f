import Type from "typebox";
import { alertItem } from "#src/alerts/delivery/alert-item.ts";
import { MS_PER_DAY } from "#src/platform/clock.ts";
import { lamportsToSol } from "#src/units/to-number.ts";
import type { UserRecords } from "#src/users/user-records.ts";
import { AlertItem } from "../alerts/alert-schema.ts";
import { ChannelItem, channelBody } from "../alerts/channel-bodies.ts";
import { EXAMPLE_TIME } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { accountGone } from "../operation-parts.ts";
import { AddressText, nullable, Timestamp, timestamp } from "../values.ts";
import { countChange } from "./daily-limit.ts";
import {
  ApiKeyItem,
  apiKeyBody,
  KEY_EXAMPLE,
  SESSION_EXAMPLE,
  SessionItem,
  sessionBody,
  sessionIdOf,
  USER_EXAMPLE,
  USER_FIELDS,
  userBody,
} from "./user-bodies.ts";

const ExportBody = Type.Object(
  {
    exported_at: Timestamp,
    user: Type.Object(USER_FIELDS),
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

const EXPORTS_A_DAY = 20;

export const exportAccount = defineOperation({
  method: "get",
  path: "/api/account/export",
  id: "exportAccount",
  tag: "accounts",
  summary: "Everything kept about the account",
  access: "session",
  responses: {
    200: {
      description: "A file to download",
      headers: ["Content-Disposition"],
      schema: ExportBody,
      example: {
        exported_at: EXAMPLE_TIME,
        user: USER_EXAMPLE,
        identities: [],
        sessions: [SESSION_EXAMPLE],
        api_keys: [KEY_EXAMPLE],
        daily_usage: [{ day: "2026-11-21", used: 3 }],
        waitlist: null,
        events: [],
        watchlist: [],
        channels: [],
        alerts: [],
      },
    },
  },
  errors: ["unauthorized", "rate_limit_exceeded"],
  async handler({ caller, reply }, deps) {
    const { users, clock } = deps;
    const { userId } = caller;
    countChange(deps, { name: "export", userId, limit: EXPORTS_A_DAY }, reply);
    const data = await users.records.read(userId);
    if (data === null) throw accountGone();
    return {
      headers: { "content-disposition": 'attachment; filename="exitability-account.json"' },
      body: exportBody(data, { currentId: sessionIdOf(caller), nowMs: clock.nowMs() }),
    };
  },
});

type AccountData = NonNullable<Awaited<ReturnType<UserRecords["read"]>>>;

function exportBody(
  data: AccountData,
  { currentId, nowMs }: { readonly currentId: string | null; readonly nowMs: number },
) {
  return {
    exported_at: timestamp(nowMs),
    user: userBody(data.user),
    identities: data.foreignIdentities,
    sessions: data.sessions.map((session) => sessionBody(session, currentId)),
    api_keys: data.apiKeys.map((key) => apiKeyBody(key, nowMs)),
    daily_usage: data.dailyUsage.map(({ day, used }) => ({
      day: timestamp(day * MS_PER_DAY).slice(0, 10),
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
    channels: data.channels.map((channel) => channelBody(channel, "en")),
    alerts: data.alerts.map((alert) => alertItem(alert, "en")),
  };
}
