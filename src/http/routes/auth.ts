import type { FastifyInstance } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import type { SignIn } from "#src/users/sign-in.ts";
import type { Callers } from "../plugins/callers.ts";
import { bodyObject, emailIn, invalid } from "../plugins/json-body.ts";
import { isSameOrigin } from "../plugins/origin.ts";
import { sessionRequired } from "../plugins/session.ts";
import { createThrottle } from "../plugins/throttle.ts";

const CODE_SENT = {
  status: "code_sent",
  message: "If mail reaches this address, a sign-in code is on its way to it.",
} as const;

export type AuthDeps = {
  readonly signIn: SignIn;
  readonly callers: Callers;
  readonly publicUrl: string;
  readonly nowMs: NowMs;
};

/** Signing in by a code sent to the mailbox, and out: /api/auth/{code,sign-in,sign-out}. */
export function authRoutes(app: FastifyInstance, deps: AuthDeps): void {
  const { signIn, callers, publicUrl, nowMs } = deps;

  const codes = createThrottle({ kind: "code", nowMs });
  app.post("/api/auth/code", { onRequest: codes }, async (request, reply) => {
    await signIn.requestCode(emailIn(bodyObject(request)));
    return reply.header("cache-control", "no-store").send(CODE_SENT);
  });

  const attempts = createThrottle({ kind: "signIn", nowMs });
  app.post("/api/auth/sign-in", { onRequest: attempts }, async (request, reply) => {
    const body = bodyObject(request);
    const email = emailIn(body);
    const { code } = body;
    if (typeof code !== "string") throw invalid("invalid_body", "code has to be a text.");
    // A browser must not be signed in by another site, into an account that is not its user's.
    if (request.headers.origin !== undefined && !isSameOrigin(request, publicUrl))
      throw invalid("forbidden_origin", "Sign in on the dashboard itself.");
    const userAgent = request.headers["user-agent"] ?? null;
    const signedIn = await signIn.signIn({ email, code, userAgent });
    if (signedIn === null)
      throw invalid(
        "unauthorized",
        "This code is wrong, used, or no longer valid; ask for another.",
      );
    return reply
      .header("cache-control", "no-store")
      .header("set-cookie", signedIn.cookie)
      .send({
        status: "signed_in",
        access_token: signedIn.accessToken,
        expires_at: new Date(signedIn.expiresAtMs).toISOString(),
      });
  });

  app.post(
    "/api/auth/sign-out",
    { onRequest: sessionRequired(callers) },
    async (request, reply) => {
      const { userId, via } = await callers.signedIn(request);
      if (via.kind === "cookie" || via.kind === "bearer")
        await signIn.endSession(userId, via.sessionId);
      return reply
        .header("cache-control", "no-store")
        .header("set-cookie", signIn.forgetCookie)
        .send({ status: "signed_out" });
    },
  );
}
