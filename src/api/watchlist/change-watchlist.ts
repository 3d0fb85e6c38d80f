import Type from "typebox";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { readAs } from "../values.ts";
import { noEntry, SizeSolField } from "./watchlist-fields.ts";

const Change = Type.Object(
  {
    id: readAs(
      Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
      (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : null),
      "id must be the number of an entry.",
    ),
    size_sol: Type.Optional(SizeSolField),
    alerts_enabled: Type.Optional(Type.Boolean()),
  },
  { anyOf: [{ required: ["size_sol"] }, { required: ["alerts_enabled"] }] },
);

export const changeWatchlist = defineOperation({
  method: "patch",
  path: "/api/oracle/watchlist",
  id: "changeWatchlist",
  tag: "watchlist",
  summary: "Change an entry's size, or whether it alerts",
  body: { schema: Change, example: { id: 1, size_sol: 2 } },
  access: "session",
  responses: { 200: statusResponse("updated") },
  errors: [...WRITE_ERRORS, "invalid_size", "no_changes", "not_found"],
  async handler({ caller: { userId }, body }, { watchlist }) {
    const { id, size_sol: sizeLamports = null, alerts_enabled: areAlertsEnabled = null } = body;
    const change = { sizeLamports, areAlertsEnabled };
    if (!(await watchlist.change(userId, id, change))) throw noEntry();
    return { body: { status: "updated" } };
  },
});
