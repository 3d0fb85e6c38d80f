import type { FastifyInstance } from "fastify";
import type { Accuracy } from "#src/accuracy/accuracy.ts";
import { accuracyBody } from "#src/wire/accuracy.ts";

export type AccuracyDeps = { readonly accuracy: Pick<Accuracy, "report"> };

/** How exact the replays of executed swaps are: public, so that nobody has to take our word. */
export function accuracyRoutes(app: FastifyInstance, { accuracy }: AccuracyDeps): void {
  app.get("/api/accuracy", async (_request, reply) =>
    reply.header("cache-control", "no-store").send(accuracyBody(accuracy.report())),
  );
}
