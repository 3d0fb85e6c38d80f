import type { FastifyInstance } from "fastify";
import type { Admission } from "../admission.ts";

/** A connection that has become idle is closed within this time, and not kept for its next request. */
const CLOSE_IDLE_EVERY_MS = 50;
/** What is under way has this long: less than the ten seconds after which containers are killed. */
const GRACE_MS = 8_000;

/** Lets what is under way finish when the app is closed, and refuses what comes after it. */
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
