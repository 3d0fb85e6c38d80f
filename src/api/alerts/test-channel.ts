import Type from "typebox";
import { failureInLanguage } from "#src/alerts/delivery/failure-in-language.ts";
import { AppError } from "#src/platform/app-error.ts";
import { LANGUAGE_HEADER } from "../measuring/token-question.ts";
import { defineOperation } from "../operation.ts";
import { WRITE_ERRORS } from "../operation-parts.ts";
import { nullable } from "../values.ts";
import { CHANNELS_PATH, ChannelIdField, noChannel } from "./channel-bodies.ts";

const TEST_RETRY_SECONDS = 10;

export const testChannel = defineOperation({
  method: "post",
  path: `${CHANNELS_PATH}/{id}/test`,
  id: "testChannel",
  tag: "watchlist",
  summary: "Send a test through a channel; a new code if it is not verified yet",
  headers: [LANGUAGE_HEADER],
  params: Type.Object({ id: ChannelIdField }),
  access: "session",
  responses: {
    200: {
      description: "The result",
      schema: Type.Object({
        status: Type.Enum(["sent", "failed"]),
        error: nullable(Type.String()),
      }),
      example: { status: "sent", error: null },
    },
  },
  errors: [...WRITE_ERRORS, "not_found", "rate_limit_exceeded"],
  async handler({ caller: { userId }, params: { id }, language, reply }, { channels }) {
    const sent = await channels.test(userId, id);
    if (sent === null) throw noChannel();
    if (sent === "too-soon") {
      reply.header("retry-after", TEST_RETRY_SECONDS);
      throw new AppError("rate_limit_exceeded", {
        publicMessage: "A channel is tested at most once in ten seconds.",
      });
    }
    return sent.kind === "sent"
      ? { body: { status: "sent", error: null } }
      : { body: { status: "failed", error: failureInLanguage(sent.error, language) } };
  },
});
