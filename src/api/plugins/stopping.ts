import type { FastifyInstance } from "fastify";
import type { Admission } from "../admission.ts";

/** While stopping, idle connections are closed this often. */
const CLOSE_IDLE_EVERY_MS = 50;
/** Time for requests in progress: less than the ten seconds after which containers are killed. */
const GRACE_MS = 8_000;

/** On close, requests in progress finish and new ones are refused. */
export function registerStopping(app: FastifyInstance, admission: Admission): void {
  app.addHook("preClose", async () => {
    const { server } = app;
    admission.stop();
    const closing = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS).unref();
    const cutting = setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
    server.once("close", () => {
      clearInterval(closing);
      clearTimeout(cutting);
    });
  });
}
