import type { FastifyInstance } from "fastify";
import type { NowMs } from "#src/platform/clock.ts";
import type { Funnel } from "#src/users/funnel.ts";
import { bodyObject, emailIn, optionalText } from "../plugins/json-body.ts";
import { createThrottle } from "../plugins/throttle.ts";

const LONGEST_ORIGIN = 64;
const DEFAULT_ORIGIN = "api";

const WAITLISTED = {
  status: "waitlisted",
  message: "This address will hear from us when a tier without a daily limit opens.",
} as const;

/** POST /api/oracle/waitlist: keeps an address once; a repeated one gets the same answer. */
export function waitlistRoute(
  app: FastifyInstance,
  { funnel, nowMs }: { readonly funnel: Funnel; readonly nowMs: NowMs },
): void {
  const onRequest = createThrottle({ kind: "waitlist", nowMs });
  app.post("/api/oracle/waitlist", { onRequest }, async (request, reply) => {
    const body = bodyObject(request);
    const email = emailIn(body);
    const origin = optionalText(body, "origen", LONGEST_ORIGIN) ?? DEFAULT_ORIGIN;
    await funnel.joinWaitlist(email, origin);
    return reply.code(201).send(WAITLISTED);
  });
}
