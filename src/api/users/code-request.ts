import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { EXAMPLE_EMAIL } from "../examples.ts";
import type { ApiDeps } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { askerOf } from "../plugins/asker.ts";
import { EmailField } from "../values.ts";

const Body = Type.Object({ email: EmailField });

type CodeInput = {
  readonly body: Static<typeof Body>;
  readonly request: FastifyRequest;
};

/**
 * An operation that mails a sign-in code. Known and unknown addresses get the same bytes in the same time: both
 * write one identical row, from which the mail follows; the account is made when the code is used.
 */
export function codeRequest(status: string) {
  return {
    method: "post",
    tag: "accounts",
    access: "anyone",
    throttlePerMinute: 30,
    throttleName: "sign-in-mails",
    body: { schema: Body, example: { email: EXAMPLE_EMAIL } },
    responses: { 200: statusResponse(status, { message: Type.String() }, { message: "…" }) },
    errors: PUBLIC_ERRORS,
    async handler({ body: { email }, request }: CodeInput, { users }: Pick<ApiDeps, "users">) {
      await users.signIn.requestCode(email, askerOf(request));
      const message = "If mail reaches this address, a sign-in code is on its way to it.";
      return { body: { status, message } };
    },
  } as const;
}
