import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { Admission } from "./admission.ts";
import { registerErrors } from "./plugins/errors.ts";
import { registerStopping } from "./plugins/stopping.ts";
import { type HealthDeps, healthRoutes } from "./routes/health.ts";

/** What a process that answers nobody listens with: whether it lives, and whether it can work. */
export async function buildHealthApp(
  deps: Pick<HealthDeps, "readiness"> & { readonly logger: FastifyBaseLogger },
): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
  });
  const admission = new Admission();
  registerErrors(app);
  registerStopping(app, admission);
  healthRoutes(app, { ...deps, admission });
  await app.ready();
  return app;
}
