import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { CHANNELS_PATH, ChannelIdField, noChannel } from "./channel-bodies.ts";

export const verifyChannel = defineOperation({
  method: "post",
  path: `${CHANNELS_PATH}/{id}/verify`,
  id: "verifyChannel",
  tag: "watchlist",
  summary: "Enter the code that the channel received",
  description: "A code that is wrong, used or too old is invalid_body.",
  params: Type.Object({ id: ChannelIdField }),
  body: {
    schema: Type.Object({ code: Type.String({ maxLength: 64 }) }),
    example: { code: "123456" },
  },
  access: "session",
  responses: { 200: statusResponse("verified") },
  errors: [...WRITE_ERRORS, "not_found"],
  async handler({ caller: { userId }, params: { id }, body: { code } }, { channels }) {
    const outcome = await channels.verify(userId, id, code.trim());
    if (outcome === null) throw noChannel();
    if (outcome === "wrong")
      throw new AppError("invalid_body", {
        publicMessage: "This code is wrong, used or too old; ask for another.",
      });
    return { body: { status: "verified" } };
  },
});
