import { defineOperation } from "../operation.ts";
import { statusResponse, WRITE_ERRORS } from "../operation-parts.ts";
import { sessionIdOf } from "./user-bodies.ts";

export const signOut = defineOperation({
  method: "post",
  path: "/api/auth/sign-out",
  id: "signOut",
  tag: "accounts",
  summary: "End this session",
  access: "session",
  responses: { 200: { ...statusResponse("signed_out"), headers: ["Set-Cookie"] } },
  errors: WRITE_ERRORS,
  async handler({ caller }, { users: { signIn } }) {
    const sessionId = sessionIdOf(caller);
    if (sessionId !== null) await signIn.endSession(caller.userId, sessionId);
    return { headers: { "set-cookie": signIn.forgetCookie }, body: { status: "signed_out" } };
  },
});
