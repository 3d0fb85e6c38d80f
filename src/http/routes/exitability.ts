import type { FastifyInstance } from "fastify";
import type { MarketSource } from "#src/track/market-snapshot.ts";
import { exitabilityBody } from "#src/wire/exitability.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import type { Metering } from "../plugins/metering.ts";
import { prepareAboutToken, readProfile, readSize } from "./token-question.ts";

export type ExitabilityDeps = {
  readonly markets: Pick<MarketSource, "snapshot" | "latest">;
  readonly metering: Metering;
};

type Route = {
  Params: { readonly id: string };
  Querystring: { readonly profile?: unknown; readonly size?: unknown };
};

/** GET /api/token/{id}/exitability: who asks, what for, whether they may, and only then the market. */
export function exitabilityRoute(
  app: FastifyInstance,
  { markets, metering }: ExitabilityDeps,
): void {
  app.get<Route>("/api/token/:id/exitability", (request, reply) =>
    metering(request, reply, () => {
      const profile = readProfile(request.query.profile);
      const size = readSize(request.query.size);
      const language = preferredLanguage(request.headers["accept-language"]);
      return prepareAboutToken({
        id: request.params.id,
        profile,
        snapshotOf: async (mint) => markets.latest(mint) ?? (await markets.snapshot(mint)),
        answer: ({ assessment, trend, isDeteriorating }) =>
          exitabilityBody({ assessment, trend, isDeteriorating, profile, size, language }),
      });
    }),
  );
}
