import type { FastifyInstance } from "fastify";
import { NO_ROUTE, type RequestCounts } from "../request-counts.ts";

/** As in proxy logs: the client disconnected before the answer. */
const CALLER_LEFT = 499;

/** Counts every request when its connection or response closes. A stream's duration is its open time. */
export function registerCounting(app: FastifyInstance, counts: RequestCounts): void {
  app.addHook("onRequest", (request, reply, done) => {
    const startedMs = performance.now();
    const { raw } = reply;
    raw.once("close", () => {
      const route = request.routeOptions.url ?? NO_ROUTE;
      const status = raw.headersSent ? raw.statusCode : CALLER_LEFT;
      counts.of(request.method, route).count(status, performance.now() - startedMs);
    });
    done();
  });
}
