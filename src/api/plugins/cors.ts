import fastifyCors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { EXPOSED_HEADERS } from "../headers.ts";
import { routePattern } from "../operation.ts";
import { OPERATIONS } from "../operations.ts";

/** For this time a browser may reuse a preflight's answer; browsers have lower limits of their own. */
const PREFLIGHT_SECONDS = 86_400;
/** What a page's request may carry. Never a credential: a key does not belong in browser code. */
const ALLOWED_HEADERS = ["content-type", "if-none-match", "last-event-id"];

/**
 * The headers of every answer of an open endpoint to a request with an Origin. One value for all
 * origins, and never Allow-Credentials: browsers do not show a page an answer to its cookies.
 */
export const OPEN_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS.join(", "),
} as const;

/**
 * Pages of any origin may read the open endpoints as anonymous callers, errors included; all other
 * endpoints stay closed to them. An OPTIONS that is not a preflight stays a 405.
 */
export async function registerCors(app: FastifyInstance): Promise<void> {
  const methods = openMethods();
  await app.register(fastifyCors, {
    delegator: ({ headers, routeOptions }, done) => {
      const allowed = methods.get(routeOptions.url ?? "");
      if (headers.origin === undefined || allowed === undefined) done(null, { origin: false });
      else {
        done(null, {
          origin: OPEN_HEADERS["access-control-allow-origin"],
          exposedHeaders: OPEN_HEADERS["access-control-expose-headers"],
          preflight: headers["access-control-request-method"] !== undefined,
          methods: [...allowed],
          allowedHeaders: ALLOWED_HEADERS,
          maxAge: PREFLIGHT_SECONDS,
        });
      }
    },
  });
}

/** Methods that pages may use, by the router's pattern of the path. */
function openMethods(): ReadonlyMap<string, readonly string[]> {
  const byPath = Map.groupBy(
    OPERATIONS.filter(({ isOpenToPages }) => isOpenToPages === true),
    routePattern,
  );
  return new Map(
    Array.from(byPath, ([path, operations]) => [
      path,
      operations.flatMap(({ method }) =>
        method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()],
      ),
    ]),
  );
}
