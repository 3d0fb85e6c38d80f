import Type from "typebox";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { CHANNELS_PATH, ChannelIdField, noChannel } from "./channel-bodies.ts";

export const switchChannel = defineOperation({
  method: "patch",
  path: CHANNELS_PATH,
  id: "switchChannel",
  tag: "watchlist",
  summary: "Switch a channel on or off",
  body: {
    schema: Type.Object({ id: ChannelIdField, enabled: Type.Boolean() }),
    example: { id: "1", enabled: false },
  },
  access: "session",
  responses: { 200: statusResponse("updated") },
  errors: [...WRITE_ERRORS, "not_found"],
  async handler({ caller: { userId }, body: { id, enabled } }, { channels }) {
    if (!(await channels.setEnabled(userId, id, enabled))) throw noChannel();
    return { body: { status: "updated" } };
  },
});
