import Type from "typebox";
import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { sessionIdOf } from "./user-bodies.ts";

export const endOtherSessions = defineOperation({
  method: "delete",
  path: "/api/account/sessions",
  id: "endOtherSessions",
  tag: "accounts",
  summary: "End every other session",
  access: "session",
  responses: { 200: statusResponse("ended", { ended: Type.Integer() }, { ended: 2 }) },
  errors: WRITE_ERRORS,
  async handler({ caller }, { users }) {
    const ended = await users.signIn.endOtherSessions(caller.userId, sessionIdOf(caller));
    return { body: { status: "ended", ended } };
  },
});
