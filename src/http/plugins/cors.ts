import type { FastifyInstance } from "fastify";
import { OPERATIONS } from "../operations/all.ts";
import { EXPOSED_HEADERS } from "../operations/headers.ts";

/** For so long a browser need not ask again what it may send; browsers have lower bounds of their own. */
const PREFLIGHT_SECONDS = 86_400;
/** What a page may send of its own. Never a credential: no page's code should hold one. */
const SENDABLE_HEADERS = "content-type, if-none-match, last-event-id";

/**
 * On every answer of an open endpoint to a request with Origin. One value for all pages, and never
 * Allow-Credentials: a browser then shows no page what a cookie got.
 */
export const OPEN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS.join(", "),
} as const;

/**
 * Lets pages of any origin read the endpoints that are open to them, as anonymous callers, errors
 * included; everything else stays closed to them. An OPTIONS that is no preflight stays a 405.
 */
export function registerCors(app: FastifyInstance): void {
  const methods = openMethods();
  app.addHook("onRequest", async (request, reply) => {
    const { origin, "access-control-request-method": wanted } = request.headers;
    if (origin === undefined) return;
    const allowed = methods.get(request.routeOptions.url ?? "");
    if (allowed === undefined) return;
    reply.headers(OPEN_HEADERS);
    if (request.method !== "OPTIONS" || wanted === undefined) return;
    return reply
      .code(204)
      .headers({
        "access-control-allow-methods": allowed,
        "access-control-allow-headers": SENDABLE_HEADERS,
        "access-control-max-age": PREFLIGHT_SECONDS,
      })
      .send();
  });
}

/** By the router's pattern of the path. */
function openMethods(): ReadonlyMap<string, string> {
  const byPath = Map.groupBy(
    OPERATIONS.filter(({ isOpenToPages }) => isOpenToPages === true),
    ({ path }) => path.replaceAll(/\{(\w+)\}/g, ":$1"),
  );
  return new Map(
    Array.from(byPath, ([path, operations]) => {
      const methods = operations.flatMap(({ method }) =>
        method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
      );
      return [path, methods.join(", ")];
    }),
  );
}
