import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { EXAMPLE_EMAIL, EXAMPLE_TIME } from "../examples.ts";
import { defineOperation } from "../operation.ts";
import { PUBLIC_ERRORS, statusResponse } from "../operation-parts.ts";
import { askerOf } from "../plugins/asker.ts";
import { requireSameOrigin } from "../plugins/origin.ts";
import { EmailField, Timestamp, timestamp } from "../values.ts";

export const signIn = defineOperation({
  method: "post",
  path: "/api/auth/sign-in",
  id: "signIn",
  tag: "accounts",
  summary: "Sign in with the code",
  description:
    "The code works for who asked for it: the browser, by a cookie of the dashboard, or the address of a caller without one. Sets the dashboard's cookie too. Pages of other sites get forbidden_origin.",
  access: "anyone",
  throttlePerMinute: 30,
  body: {
    schema: Type.Object({ email: EmailField, code: Type.String() }),
    example: { email: EXAMPLE_EMAIL, code: "123456" },
  },
  responses: {
    200: {
      ...statusResponse(
        "signed_in",
        { access_token: Type.String(), expires_at: Timestamp },
        { access_token: "…", expires_at: EXAMPLE_TIME },
      ),
      headers: ["Set-Cookie"],
    },
  },
  errors: [...PUBLIC_ERRORS, "unauthorized", "forbidden_origin"],
  async handler({ body: { email, code }, request }, { users, publicUrl }) {
    // Another site must not sign a browser in to an account that is not its user's.
    if (request.headers.origin !== undefined) requireSameOrigin(request, publicUrl);
    const userAgent = request.headers["user-agent"] ?? null;
    const session = await users.signIn.signIn({
      email,
      code,
      userAgent,
      asker: askerOf(request),
    });
    if (session === null)
      throw new AppError("unauthorized", {
        publicMessage:
          "This code is wrong, used, no longer valid, or was asked for in another browser; ask for another here.",
      });
    const { accessToken, expiresAtMs, cookies } = session;
    return {
      headers: { "set-cookie": [...cookies] },
      body: {
        status: "signed_in",
        access_token: accessToken,
        expires_at: timestamp(expiresAtMs),
      },
    };
  },
});
