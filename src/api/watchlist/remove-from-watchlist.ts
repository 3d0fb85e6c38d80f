import Type from "typebox";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { fromText, readAs } from "../values.ts";
import { noEntry } from "./watchlist-fields.ts";

export const removeFromWatchlist = defineOperation({
  method: "delete",
  path: "/api/oracle/watchlist",
  id: "removeFromWatchlist",
  tag: "watchlist",
  summary: "Stop watching a token",
  query: Type.Object({
    id: readAs(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "The entry's number",
        example: 1,
      }),
      fromText((text) =>
        /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : null,
      ),
      "id must be the number of an entry.",
    ),
  }),
  access: "session",
  responses: { 200: statusResponse("deleted") },
  errors: [...WRITE_ERRORS, "not_found"],
  async handler({ caller: { userId }, query: { id } }, { watchlist }) {
    if (!(await watchlist.remove(userId, id))) throw noEntry();
    return { body: { status: "deleted" } };
  },
});
