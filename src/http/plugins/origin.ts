import type { FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether a browser says that the request comes from our own pages, as `Origin` or as
 * `Sec-Fetch-Site`. One of them has to say so and neither may say otherwise. On loopback hosts our
 * own origin is the one that was asked: there a service is reached under several names.
 */
export function isSameOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, host, "sec-fetch-site": site } = request.headers;
  if (origin === undefined && site === undefined) return false;
  if (site !== undefined && site !== "same-origin") return false;
  return origin === undefined || isOwnOrigin(origin, host ?? "", publicUrl);
}

function isOwnOrigin(origin: string, host: string, publicUrl: string): boolean {
  if (origin === new URL(publicUrl).origin) return true;
  if (!LOOPBACK_HOST.test(host) || !URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  return protocol === "http:" && originHost === host.toLowerCase();
}

/** @throws AppError forbidden_origin where the request does not come from our own pages */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (isSameOrigin(request, publicUrl)) return;
  throw new AppError("forbidden_origin", {
    publicMessage:
      "A write with the dashboard's cookie has to come from the dashboard itself; use a Bearer token elsewhere.",
  });
}
