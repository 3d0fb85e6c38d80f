import Type from "typebox";
import { EXAMPLE_EMAIL } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { EmailField, plainText } from "../values.ts";

/** A repeated address is stored once and gets the same answer. */
export const joinWaitlist = defineOperation({
  method: "post",
  path: "/api/oracle/waitlist",
  id: "joinWaitlist",
  tag: "accounts",
  summary: "Get a mail when a tier without a daily limit opens",
  access: "anyone",
  throttlePerMinute: 30,
  body: {
    schema: Type.Object({ email: EmailField, origen: plainText("origen", 64, { default: "api" }) }),
    example: { email: EXAMPLE_EMAIL },
  },
  responses: { 201: statusResponse("waitlisted", { message: Type.String() }, { message: "…" }) },
  errors: PUBLIC_ERRORS,
  async handler({ body }, { users }) {
    await users.funnel.joinWaitlist(body.email, body.origen);
    const message = "We will mail this address when a tier without a daily limit opens.";
    return { body: { status: "waitlisted", message } };
  },
});
