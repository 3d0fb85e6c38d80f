import type { FastifyRequest } from "fastify";
import { AppError } from "#src/platform/app-error.ts";

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Whether the request comes from our own pages, by `Origin` or `Sec-Fetch-Site`. At least one must be
 * present and neither may be foreign. On loopback hosts our origin is the request's Host, because a
 * local service is reached under several names.
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

/** @throws AppError forbidden_origin if the request does not come from our own pages */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  if (isSameOrigin(request, publicUrl)) return;
  // The dashboard itself gets this, too, where it is opened under another address than the operator has set.
  throw new AppError("forbidden_origin", {
    publicMessage: `The dashboard works at ${new URL(publicUrl).origin} only: open it there, or set the service's PUBLIC_URL to the address where it is open; a program sends a Bearer token, and no cookie and no Origin.`,
  });
}
