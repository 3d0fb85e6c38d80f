import Type from "typebox";
import { EXAMPLE_EMAIL } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { askerOf } from "../plugins/asker.ts";
import { EmailField } from "../values.ts";

/**
 * Known and unknown addresses get the same bytes in the same time: both write one identical row, from
 * which the mail follows; the account is made when the code is used.
 */
export const register = defineOperation({
  method: "post",
  path: "/api/oracle/register",
  id: "register",
  tag: "accounts",
  summary: "Mail a sign-in code; its first use makes a free account",
  description: "The same answer for known and unknown addresses. It never holds a key.",
  access: "anyone",
  throttlePerMinute: 30,
  throttleName: "sign-in-mails",
  body: { schema: Type.Object({ email: EmailField }), example: { email: EXAMPLE_EMAIL } },
  responses: { 200: statusResponse("registered", { message: Type.String() }, { message: "…" }) },
  errors: PUBLIC_ERRORS,
  async handler({ body: { email }, request }, { users }) {
    await users.signIn.requestCode(email, askerOf(request));
    const message = "If mail reaches this address, a sign-in code is on its way to it.";
    return { body: { status: "registered", message } };
  },
});
