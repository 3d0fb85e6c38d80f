import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";

export const deleteAccount = defineOperation({
  method: "delete",
  path: "/api/account",
  id: "deleteAccount",
  tag: "accounts",
  summary: "Delete the account and everything kept about it",
  access: "session",
  responses: { 200: { ...statusResponse("deleted"), headers: ["Set-Cookie"] } },
  errors: WRITE_ERRORS,
  async handler({ caller: { userId } }, { users }) {
    await users.records.remove(userId);
    const headers = { "set-cookie": users.signIn.forgetCookie };
    return { headers, body: { status: "deleted" } };
  },
});
