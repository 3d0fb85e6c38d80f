import type { FastifyInstance } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import type { SignIn } from "#src/users/sign-in.ts";
import { bodyObject, emailIn } from "../plugins/json-body.ts";
import { createThrottle } from "../plugins/throttle.ts";

const REGISTERED = {
  status: "registered",
  message: "If mail reaches this address, a sign-in code is on its way to it.",
} as const;

/**
 * POST /api/oracle/register: a free account and a sign-in code. Known and unknown addresses get the
 * same bytes in the same time: both paths write one identical row, and the rest follows from it.
 */
export function registerRoute(
  app: FastifyInstance,
  { signIn, nowMs }: { readonly signIn: SignIn; readonly nowMs: NowMs },
): void {
  const onRequest = createThrottle({ kind: "register", nowMs });
  app.post("/api/oracle/register", { onRequest }, async (request, reply) => {
    await signIn.requestCode(emailIn(bodyObject(request)));
    return reply.header("cache-control", "no-store").send(REGISTERED);
  });
}
