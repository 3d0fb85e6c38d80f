import type { FastifyInstance } from "fastify";
import type { Markets } from "#src/track/markets.ts";
import type { Address } from "#src/units/address.ts";
import { exitabilityBody } from "#src/wire/exitability.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import type { Metering } from "../plugins/metering.ts";
import { PAST_CACHING, readSlot, stateNotStored } from "./stored-state.ts";
import { prepareAboutToken, readProfile, readSize } from "./token-question.ts";

export type ExitabilityDeps = {
  readonly markets: Pick<Markets, "snapshot" | "latest" | "stateAt">;
  readonly metering: Metering;
};

type Route = {
  Params: { readonly id: string };
  Querystring: {
    readonly profile?: unknown;
    readonly size?: unknown;
    readonly at_slot?: unknown;
  };
};

/** GET /api/token/{id}/exitability: who asks, what for, whether they may, and only then the market. */
export function exitabilityRoute(
  app: FastifyInstance,
  { markets, metering }: ExitabilityDeps,
): void {
  const now = async (mint: Address) => markets.latest(mint) ?? (await markets.snapshot(mint));
  const then = async (mint: Address, slot: bigint) => {
    const stored = await markets.stateAt(mint, slot);
    return stored.kind === "stored"
      ? stored.snapshot
      : ({ kind: "answered", answer: stateNotStored(mint, slot, stored) } as const);
  };

  app.get<Route>("/api/token/:id/exitability", (request, reply) =>
    metering(request, reply, () => {
      const profile = readProfile(request.query.profile);
      const size = readSize(request.query.size);
      const slot = readSlot(request.query.at_slot);
      const language = preferredLanguage(request.headers["accept-language"]);
      return prepareAboutToken({
        id: request.params.id,
        profile,
        snapshotOf: (mint) => (slot === null ? now(mint) : then(mint, slot)),
        answer: ({ assessment, trend, isDeteriorating }) =>
          exitabilityBody({ assessment, trend, isDeteriorating, profile, size, language }),
        headers: ({ assessment }) => ({
          "x-state-slot": String(assessment.slot),
          ...(slot === null ? {} : { "cache-control": PAST_CACHING }),
        }),
      });
    }),
  );
}
