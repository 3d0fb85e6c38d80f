import type { FastifyInstance } from "fastify";
import type { Admission } from "../admission.ts";

/** What `/readyz` says: whether answers can be given, and how old the chain state is. */
export type Readiness = {
  readonly isReady: boolean;
  readonly database: "ok" | "failing";
  /** Seconds since the block time of the newest slot; null while none is known. */
  readonly chainAgeSeconds: number | null;
  /** Slots between the node's newest and the newest applied; null while unknown. */
  readonly slotLag: number | null;
};

export type HealthDeps = {
  readonly readiness: () => Promise<Readiness>;
  readonly admission: Pick<Admission, "isStopping">;
};

/** `/healthz`: the process lives. `/readyz`: it can answer; 503 and why where it can't. */
export function healthRoutes(app: FastifyInstance, { readiness, admission }: HealthDeps): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const { database, chainAgeSeconds, slotLag, ...found } = await readiness();
    const isReady = found.isReady && !admission.isStopping;
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? "ready" : "not_ready",
      database,
      chain_age_seconds: chainAgeSeconds,
      slot_lag: slotLag,
    });
  });
}
