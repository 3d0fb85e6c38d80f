import type { FastifyInstance } from "fastify";
import type { TrackerHealth } from "#src/track/tracker-health.ts";
import { toNumber } from "#src/units/to-number.ts";

export type ServiceFacts = {
  readonly origin: "demo" | "recorded" | "live";
  /** The demo market's named tokens, as far as they are known here; empty on any other chain. */
  readonly examples: () => readonly {
    readonly mint: string;
    readonly name: string;
    readonly symbol: string;
    readonly story: { readonly en: string; readonly es: string };
  }[];
  readonly venues: readonly {
    readonly id: string;
    readonly family: string;
    readonly kind: string;
  }[];
  readonly version: string;
};

export type ServiceDeps = {
  readonly service: ServiceFacts;
  readonly health: () => Pick<TrackerHealth, "chainAgeMs" | "headSlot" | "slotLag">;
};

/** What the dashboard's first and status page say: example tokens, the chain's age, what is modelled. */
export function serviceRoutes(app: FastifyInstance, { service, health }: ServiceDeps): void {
  app.get("/api/examples", async () => ({
    chain: service.origin,
    tokens: service.examples().map(({ mint, name, symbol, story }) => ({
      mint,
      name,
      symbol,
      story,
    })),
  }));
  app.get("/api/status", async (_request, reply) => {
    const { chainAgeMs, headSlot, slotLag } = health();
    return reply.header("cache-control", "no-store").send({
      chain: service.origin,
      chain_age_seconds: chainAgeMs === null ? null : chainAgeMs / 1_000,
      slot: headSlot === null ? null : toNumber(headSlot),
      slot_lag: slotLag,
      venues: service.venues.map(({ id, family, kind }) => ({ program: id, family, kind })),
      version: service.version,
    });
  });
}
