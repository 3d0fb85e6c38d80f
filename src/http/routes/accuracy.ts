import type { FastifyInstance } from "fastify";
import type { AccuracyReport } from "#src/accuracy/accuracy.ts";
import { accuracyBody } from "#src/wire/accuracy.ts";

export type AccuracyDeps = {
  readonly accuracy: {
    /** @throws AppError chain_unavailable where another process keeps the record and can't be asked */
    readonly report: () => AccuracyReport | Promise<AccuracyReport>;
  };
};

/** How exact the replays of executed swaps are: public, so that nobody has to take our word. */
export function accuracyRoutes(app: FastifyInstance, { accuracy }: AccuracyDeps): void {
  app.get("/api/accuracy", async (_request, reply) =>
    reply.header("cache-control", "no-store").send(accuracyBody(await accuracy.report())),
  );
}
