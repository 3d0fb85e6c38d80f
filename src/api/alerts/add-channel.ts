import Type from "typebox";
import type { ChannelAnswer } from "#src/alerts/delivery/channels.ts";
import { AppError } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import { LANGUAGE_HEADER } from "../measuring/token-question.ts";
import { defineOperation } from "../operation.ts";
import { accountGone, WRITE_ERRORS } from "../operation-parts.ts";
import { requireFreshSession } from "../plugins/fresh-session.ts";
import {
  AddedChannelBody,
  addedChannelBody,
  CHANNELS_PATH,
  ChannelKindWord,
} from "./channel-bodies.ts";

const ADDITIONS_RETRY_SECONDS = 600;

export const addChannel = defineOperation({
  method: "post",
  path: CHANNELS_PATH,
  id: "addChannel",
  tag: "watchlist",
  summary: "Add a mailbox, a webhook, a Telegram chat or a browser; a code verifies it",
  description:
    "A webhook is called by POST, signed as Standard Webhooks has it; the secret is in this answer only. The addresses of its host, and of a push subscription's, must be public. Needs a session that began in the last 24 hours.",
  headers: [LANGUAGE_HEADER],
  body: {
    schema: Type.Object({
      kind: ChannelKindWord,
      target: Type.String({
        maxLength: 2048,
        description:
          "By kind: an e-mail address, an http(s) URL, the number of a chat, or a browser's push subscription as JSON",
      }),
    }),
    example: { kind: "webhook", target: "https://example.com/hook" },
  },
  access: "session",
  responses: {
    201: {
      description: "Added",
      schema: AddedChannelBody,
      example: {
        status: "pending",
        id: "1",
        secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        verification: "We posted a signed message to this URL: enter the code in its data here.",
      },
    },
  },
  errors: [...WRITE_ERRORS, "invalid_email", "limit_reached", "duplicate", "rate_limit_exceeded"],
  async handler({ caller, body, language, reply }, { channels, clock }) {
    requireFreshSession(caller, clock.nowMs());
    const { userId } = caller;
    const { kind, target } = body;
    const answer = await channels.add({ userId, kind, target: target.trim(), language });
    if (answer.kind === "added") return { body: addedChannelBody(answer, language) };
    if (answer.kind === "too-many") reply.header("retry-after", ADDITIONS_RETRY_SECONDS);
    throw refusalOf(answer);
  },
});

function refusalOf(answer: Exclude<ChannelAnswer, { readonly kind: "added" }>): AppError {
  switch (answer.kind) {
    case "invalid-email":
      return new AppError("invalid_email", {
        publicMessage: "target must be an e-mail address, in plain ASCII.",
      });
    case "invalid-target":
      return new AppError("invalid_body", { publicMessage: answer.reason });
    case "duplicate":
      return new AppError("duplicate", { publicMessage: "You have this channel already." });
    case "limit-reached":
      return new AppError("limit_reached", {
        publicMessage: `An account has at most ${answer.limit} channels.`,
      });
    case "too-many":
      return new AppError("rate_limit_exceeded", {
        publicMessage: "Too many channels were added; wait ten minutes.",
      });
    case "no-user":
      return accountGone();
    default:
      return assertNever(answer);
  }
}
