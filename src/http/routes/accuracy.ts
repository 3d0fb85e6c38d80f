import type { FastifyInstance } from "fastify";
import type { AccuracyReport } from "#src/accuracy/accuracy.ts";
import {
  JUDGED_PROGRAMS,
  type JudgedSwapReader,
  MOST_SWAPS_TOLD,
  type SwapsAsked,
} from "#src/accuracy/judged-swap-reader.ts";
import { accuracyBody, swapsBody } from "#src/wire/accuracy.ts";
import { invalid } from "../plugins/json-body.ts";

const DEFAULT_SWAPS = 50;

export type AccuracyDeps = {
  readonly accuracy: {
    /** @throws AppError chain_unavailable where another process keeps the record and can't be asked */
    readonly report: () => AccuracyReport | Promise<AccuracyReport>;
    readonly swaps: Pick<JudgedSwapReader, "last">;
  };
};

type SwapsQuery = { readonly program?: unknown; readonly limit?: unknown };

/** How exact the replays of executed swaps are: public, so that nobody has to take our word. */
export function accuracyRoutes(app: FastifyInstance, { accuracy }: AccuracyDeps): void {
  app.get("/api/accuracy", async (_request, reply) =>
    reply.header("cache-control", "no-store").send(accuracyBody(await accuracy.report())),
  );

  app.get<{ Querystring: SwapsQuery }>("/api/accuracy/swaps", async ({ query }, reply) => {
    const swaps = await accuracy.swaps.last({
      program: readProgram(query.program),
      limit: readLimit(query.limit),
    });
    return reply.header("cache-control", "no-store").send(swapsBody(swaps));
  });
}

function readProgram(program: unknown): SwapsAsked["program"] {
  if (program === undefined) return null;
  const found = JUDGED_PROGRAMS.find((id) => id === program);
  if (found !== undefined) return found;
  throw invalid("invalid_body", `program has to be one of ${JUDGED_PROGRAMS.join(", ")}.`);
}

function readLimit(limit: unknown): number {
  if (limit === undefined) return DEFAULT_SWAPS;
  const value = typeof limit === "string" && /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (value >= 1 && value <= MOST_SWAPS_TOLD) return value;
  throw invalid("invalid_body", `limit has to be a number from 1 to ${MOST_SWAPS_TOLD}.`);
}
