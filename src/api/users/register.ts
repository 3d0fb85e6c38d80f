import Type from "typebox";
import { EXAMPLE_EMAIL } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { EmailField } from "../values.ts";

/**
 * Known and unknown addresses get the same bytes in the same time: both write one identical row, and
 * account and mail follow from that row.
 */
export const register = defineOperation({
  method: "post",
  path: "/api/oracle/register",
  id: "register",
  tag: "accounts",
  summary: "Make a free account and mail it a sign-in code",
  description: "The same answer for known and unknown addresses. It never holds a key.",
  access: "anyone",
  throttlePerMinute: 30,
  throttleName: "sign-in-mails",
  body: { schema: Type.Object({ email: EmailField }), example: { email: EXAMPLE_EMAIL } },
  responses: { 200: statusResponse("registered", { message: Type.String() }, { message: "…" }) },
  errors: PUBLIC_ERRORS,
  async handler({ body: { email } }, { users }) {
    await users.signIn.requestCode(email);
    const message = "If mail reaches this address, a sign-in code is on its way to it.";
    return { body: { status: "registered", message } };
  },
});
