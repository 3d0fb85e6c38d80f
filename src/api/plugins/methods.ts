import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";
import type { AddStanding } from "./refusing.ts";

/** A plugin's path whose router answers all below it, or the same path with a slash at its end. */
const NOT_ONE_PATH = /\*$|.\/$/;

/**
 * Records the methods of each path. Call the returned function after all routes are registered: every
 * other method of a path is then answered 405 with an Allow header, and with the caller's limits where the
 * path's answers carry them.
 */
export function registerMethods(app: FastifyInstance): (addStanding: AddStanding) => void {
  const methodsOfPath = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsOfPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsOfPath.set(url, methods);
  });
  return (addStanding) => {
    for (const [url, allowed] of [...methodsOfPath]) {
      const refused = app.supportedMethods.filter((method) => !allowed.has(method));
      if (refused.length === 0 || NOT_ONE_PATH.test(url)) continue;
      const allow = [...allowed].join(", ");
      app.route({
        method: refused,
        url,
        onRequest: async (request, reply) => {
          reply.header("allow", allow);
          await addStanding(request, reply);
          throw new AppError("method_not_allowed", {
            publicMessage: `${request.method} is not possible here; use ${allow}.`,
          });
        },
        handler: () => undefined,
      });
    }
  };
}
