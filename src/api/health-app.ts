import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { Admission } from "./admission.ts";
import { registerErrors } from "./plugins/errors.ts";
import { registerStopping } from "./plugins/stopping.ts";
import { getHealth, getReadiness, type HealthDeps, readinessAnswer } from "./service/health.ts";

/** The health endpoints of a process that serves no API. */
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
  app.get(getHealth.path, async () => ({ status: "ok" }));
  app.get(getReadiness.path, async (_request, reply) => {
    const { status = 200, body } = await readinessAnswer({ ...deps, admission });
    return reply.code(status).send(body);
  });
  await app.ready();
  return app;
}
