import { defineOperation } from "../operation.ts";
import { listResponse } from "../operation-parts.ts";
import { SESSION_EXAMPLE, SessionItem, sessionBody, sessionIdOf } from "./user-bodies.ts";

export const listSessions = defineOperation({
  method: "get",
  path: "/api/account/sessions",
  id: "listSessions",
  tag: "accounts",
  summary: "Where the account is signed in",
  access: "session",
  responses: { 200: listResponse(SessionItem, SESSION_EXAMPLE) },
  errors: ["unauthorized"],
  async handler({ caller }, { users }) {
    const sessions = await users.records.sessions(caller.userId);
    const currentId = sessionIdOf(caller);
    return { body: { items: sessions.map((session) => sessionBody(session, currentId)) } };
  },
});
