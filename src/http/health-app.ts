import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { registerErrors } from "./plugins/errors.ts";
import { type HealthDeps, healthRoutes } from "./routes/health.ts";

/** What a process that answers nobody listens with: whether it lives, and whether it can work. */
export async function buildHealthApp(
  deps: HealthDeps & { readonly logger: FastifyBaseLogger },
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: true,
  });
  registerErrors(app);
  healthRoutes(app, deps);
  await app.ready();
  return app;
}
