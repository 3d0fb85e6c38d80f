import Type from "typebox";
import { EXAMPLE_EMAIL } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { askerOf } from "../plugins/asker.ts";
import { EmailField } from "../values.ts";

export const requestCode = defineOperation({
  method: "post",
  path: "/api/auth/code",
  id: "requestCode",
  tag: "accounts",
  summary: "Have a sign-in code mailed",
  access: "anyone",
  throttlePerMinute: 30,
  throttleName: "sign-in-mails",
  body: { schema: Type.Object({ email: EmailField }), example: { email: EXAMPLE_EMAIL } },
  responses: { 200: statusResponse("code_sent", { message: Type.String() }, { message: "…" }) },
  errors: PUBLIC_ERRORS,
  async handler({ body: { email }, request }, { users }) {
    await users.signIn.requestCode(email, askerOf(request));
    const message = "If mail reaches this address, a sign-in code is on its way to it.";
    return { body: { status: "code_sent", message } };
  },
});
