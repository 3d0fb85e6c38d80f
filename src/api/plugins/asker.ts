import type { FastifyRequest } from "fastify";
import type { Asker } from "#src/users/askers.ts";

/** Who asks for a sign-in code, or brings one. */
export function askerOf({ headers, ip }: FastifyRequest): Asker {
  return { cookies: headers.cookie, address: ip };
}
