import Type from "typebox";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { CHANNELS_PATH, ChannelIdField, noChannel } from "./channel-bodies.ts";

export const removeChannel = defineOperation({
  method: "delete",
  path: CHANNELS_PATH,
  id: "removeChannel",
  tag: "watchlist",
  summary: "Remove a channel",
  query: Type.Object({ id: ChannelIdField }),
  access: "session",
  responses: { 200: statusResponse("deleted") },
  errors: [...WRITE_ERRORS, "not_found"],
  async handler({ caller: { userId }, query: { id } }, { channels }) {
    if (!(await channels.remove(userId, id))) throw noChannel();
    return { body: { status: "deleted" } };
  },
});
