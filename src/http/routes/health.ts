import type { FastifyInstance } from "fastify";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import type { Admission } from "../admission.ts";

/** The chain counts as reached while its newest block is younger than this. */
const READY_CHAIN_AGE_SECONDS = 120;

/** What `/readyz` says: whether answers can be given, and how old the chain state is. */
export type Readiness = {
  readonly isReady: boolean;
  readonly database: "ok" | "failing";
  /** Seconds since the block time of the newest slot; null while none is known. */
  readonly chainAgeSeconds: number | null;
  /** Slots between the node's newest and the newest applied; null while unknown. */
  readonly slotLag: number | null;
};

/**
 * Whether requests should be sent here. `health` is the chain's that is answered from, null where this
 * process only stands by or sends. A chain whose age nobody knows is not young.
 */
export function readinessOf(
  isDatabaseOk: boolean,
  health: Pick<TrackerHealth, "chainAgeMs" | "slotLag"> | null,
): Readiness {
  const chainAgeMs = health?.chainAgeMs ?? null;
  const chainAgeSeconds = chainAgeMs === null ? null : chainAgeMs / 1_000;
  const isChainOk =
    health === null || (chainAgeSeconds !== null && chainAgeSeconds < READY_CHAIN_AGE_SECONDS);
  return {
    isReady: isDatabaseOk && isChainOk,
    database: isDatabaseOk ? "ok" : "failing",
    chainAgeSeconds,
    slotLag: health?.slotLag ?? null,
  };
}

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
