import type { FastifyInstance } from "fastify";
import { AppError } from "#src/platform/app-error.ts";

/**
 * Notes which methods each path has; call the returned function once all routes stand, and every
 * other method on these paths is answered 405 with an Allow header.
 */
export function registerMethods(app: FastifyInstance): () => void {
  const methodsOfPath = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsOfPath.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsOfPath.set(url, methods);
  });
  return () => {
    for (const [url, allowed] of [...methodsOfPath]) {
      const refused = app.supportedMethods.filter((method) => !allowed.has(method));
      if (refused.length === 0 || url.endsWith("*")) continue;
      const allow = [...allowed].join(", ");
      app.route({
        method: refused,
        url,
        onRequest: (request, reply) => {
          reply.header("allow", allow);
          throw new AppError("method_not_allowed", {
            publicMessage: `${request.method} is not possible here; use ${allow}.`,
          });
        },
        handler: () => undefined,
      });
    }
  };
}
