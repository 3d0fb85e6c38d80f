import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { requireFreshSession } from "../plugins/fresh-session.ts";

export const deleteAccount = defineOperation({
  method: "delete",
  path: "/api/account",
  id: "deleteAccount",
  tag: "accounts",
  summary: "Delete the account and everything kept about it",
  description: "Needs a session that began in the last 24 hours.",
  access: "session",
  responses: { 200: { ...statusResponse("deleted"), headers: ["Set-Cookie"] } },
  errors: WRITE_ERRORS,
  async handler({ caller }, { users, clock }) {
    const { userId } = caller;
    requireFreshSession(caller, clock.nowMs());
    const user = await users.records.find(userId);
    await users.records.remove(userId);
    users.notices.send(user?.email ?? null, "deleted");
    const headers = { "set-cookie": [users.signIn.forgetCookie, users.browsers.forgetCookie] };
    return { headers, body: { status: "deleted" } };
  },
});
