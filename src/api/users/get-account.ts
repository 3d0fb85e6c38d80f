import Type from "typebox";
import type { QuotaStatus } from "#src/users/quotas.ts";
import { type TierLimits, tierLimits } from "#src/users/tiers.ts";
import { EXAMPLE_TIME } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { accountGone } from "../operation-parts.ts";
import { nullable, Timestamp, timestamp } from "../values.ts";
import { USER_EXAMPLE, USER_FIELDS, userBody } from "./user-bodies.ts";

const AccountBody = Type.Object(
  {
    ...USER_FIELDS,
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

export const getAccount = defineOperation({
  method: "get",
  path: "/api/account/me",
  id: "getAccount",
  tag: "accounts",
  summary: "The account, its limits, and what is used of them",
  access: "session",
  isOptionalOnPages: true,
  responses: {
    200: {
      description: "The account",
      schema: AccountBody,
      example: {
        ...USER_EXAMPLE,
        limits: { daily_queries: 10, watchlist_tokens: 1, fair_use_per_minute: 10 },
        usage: { policy: "day", limit: 10, used: 3, remaining: 7, resets_at: EXAMPLE_TIME },
      },
    },
    204: {
      description: "A page of the dashboard asked, and there is no session",
      schema: Type.Null(),
      example: null,
      contentType: null,
    },
  },
  errors: ["unauthorized"],
  async handler({ caller }, { users, clock }) {
    const user = await users.records.find(caller.userId);
    if (user === null) throw accountGone();
    const status = await users.quotas.peek(caller, clock.nowMs());
    const limits = limitsBody(tierLimits(caller.tier));
    return { body: { ...userBody(user), limits, usage: usageBody(status) } };
  },
});

function limitsBody(limits: TierLimits) {
  return {
    daily_queries: limits.dailyQueries,
    watchlist_tokens: limits.watchlistTokens,
    fair_use_per_minute: limits.fairUsePerMinute,
  };
}

function usageBody({ policy, limit, used, remaining, resetAtMs }: QuotaStatus) {
  return { policy, limit, used, remaining, resets_at: timestamp(resetAtMs) };
}
