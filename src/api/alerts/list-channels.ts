import { EXAMPLE_TIME } from "../examples.ts";
import { LANGUAGE_HEADER } from "../measuring/token-question.ts";
import { defineOperation } from "../operation.ts";
import { CHANNELS_PATH, ChannelsBody, channelBody, deadLetterBody } from "./channel-bodies.ts";

export const listChannels = defineOperation({
  method: "get",
  path: CHANNELS_PATH,
  id: "listChannels",
  tag: "watchlist",
  summary: "The channels through which alerts go out, and alerts that could not be delivered",
  headers: [LANGUAGE_HEADER],
  access: "session",
  responses: {
    200: {
      description: "All channels, oldest first, and the newest dead letters",
      schema: ChannelsBody,
      example: {
        items: [
          {
            id: "1",
            kind: "webhook",
            target: "https://example.com/hook",
            status: "verified",
            enabled: true,
            created_at: EXAMPLE_TIME,
            last_delivery_at: null,
            last_error: null,
          },
        ],
        dead_letters: [],
        kinds: ["email", "webhook"],
        push_key: null,
      },
    },
  },
  errors: ["unauthorized"],
  async handler({ caller: { userId }, language }, { channels }) {
    const listed = await channels.list(userId);
    const items = listed.channels.map((channel) => channelBody(channel, language));
    const { kinds, pushKey } = listed;
    const letters = listed.deadLetters.map((letter) => deadLetterBody(letter, language));
    return { body: { items, dead_letters: letters, kinds, push_key: pushKey } };
  },
});
