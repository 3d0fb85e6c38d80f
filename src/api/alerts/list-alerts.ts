import Type from "typebox";
import { alertItem } from "#src/alerts/delivery/alert-item.ts";
import { LANGUAGE_HEADER } from "../measuring/token-question.ts";
import { defineOperation } from "../operation.ts";
import { countText, idText, itemsOf } from "../values.ts";
import { ALERT_EXAMPLE, AlertItem } from "./alert-schema.ts";

export const listAlerts = defineOperation({
  method: "get",
  path: "/api/account/alerts",
  id: "listAlerts",
  tag: "watchlist",
  summary: "Alerts of the watched tokens, newest first",
  query: Type.Object({
    before: Type.Optional(
      idText("before must be the id of an alert", "Only alerts older than the one with this id"),
    ),
    limit: countText("limit", { minimum: 1, maximum: 100, default: 50 }, "Alerts per page"),
  }),
  headers: [LANGUAGE_HEADER],
  access: "session",
  responses: {
    200: {
      description: "A page of them",
      schema: itemsOf(AlertItem),
      example: { items: [ALERT_EXAMPLE] },
    },
  },
  errors: ["unauthorized", "invalid_body"],
  async handler({ caller: { userId }, query, language }, { feed }) {
    const alerts = await feed.page({ userId, beforeId: query.before ?? null, limit: query.limit });
    return { body: { items: alerts.map((alert) => alertItem(alert, language)) } };
  },
});
