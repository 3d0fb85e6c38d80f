import Type from "typebox";
import {
  LANGUAGE_PARAMETER,
  MINT_PARAMETER,
  type Operation,
  PROFILE_PARAMETER,
  SIZE_PARAMETER,
  TOKEN_ERRORS,
} from "./operation.ts";

const EVENTS = Type.String({ description: "Server-sent events" });
const EXAMPLE_EVENTS =
  'event: exitability\nid: 420000000\ndata: {"state":"ok","token_id":"…"}\n\nevent: heartbeat\ndata: {}\n\n';

/** Many tokens in one question, and answers that come by themselves. */
export const STREAMS: readonly Operation[] = [
  {
    method: "get",
    access: "caller",
    path: "/api/token/{id}/exitability/stream",
    id: "streamExitability",
    tag: "streams",
    summary: "Each new answer of one token, as it happens",
    description:
      "Event exitability: the body of /api/token/{id}/exitability; its id is the slot. Event heartbeat every 15 seconds.",
    parameters: [MINT_PARAMETER, PROFILE_PARAMETER, SIZE_PARAMETER, LANGUAGE_PARAMETER],
    successes: {
      200: {
        description: "A stream without end",
        schema: EVENTS,
        example: EXAMPLE_EVENTS,
        contentType: "text/event-stream",
      },
    },
    errors: [...TOKEN_ERRORS.errors, "invalid_profile", "invalid_size"],
  },
];
