import type { FastifyInstance } from "fastify";
import { Check } from "typebox/value";
import { mapSome } from "#src/platform/map-some.ts";
import type { MarketSource } from "#src/track/market-snapshot.ts";
import { parseAddress } from "#src/units/address.ts";
import { preferredLanguage } from "#src/wire/notice.ts";
import { BatchRequest, MOST_MINTS, type TokenOutcome } from "#src/wire/schema/batch.ts";
import type { BulkMetering, CallerFirst } from "../plugins/bulk-metering.ts";
import { bodyObject, invalid, type JsonObject } from "../plugins/json-body.ts";
import { beyondLimit, outcomeOf } from "./token-outcome.ts";
import { readProfile, readSize } from "./token-question.ts";

const AT_ONCE = 8;

export type BatchDeps = {
  readonly markets: Pick<MarketSource, "snapshot" | "latest">;
  readonly bulkMetering: BulkMetering;
  readonly callerFirst: CallerFirst;
};

/** POST /api/exitability/batch: up to a hundred tokens, each with its own outcome. */
export function batchRoute(app: FastifyInstance, deps: BatchDeps): void {
  const { markets, bulkMetering, callerFirst } = deps;
  app.post("/api/exitability/batch", { onRequest: callerFirst }, async (request, reply) => {
    const grant = await bulkMetering(request, reply, () => {
      const asked = readBatch(bodyObject(request));
      return { asked, tokens: asked.mints.length, page: null };
    });
    if (grant === null) return reply;
    const { mints, profile, size } = grant.asked;
    const language = preferredLanguage(request.headers["accept-language"]);
    const items = await mapSome(mints, AT_ONCE, async (id, place) =>
      place < grant.granted
        ? await outcomeOf(markets, id, { profile, size, language })
        : beyondLimit(id),
    ).catch(async (error: unknown) => {
      await grant.refundAll();
      throw error;
    });
    await grant.refund(items.flatMap((item, place) => (didTheWork(item) ? [] : place)));
    return reply.send({ profile, items });
  });
}

/** As for a request of its own: 200 and 404 count, but not for what is no address. */
function didTheWork({ token_id: id, status }: TokenOutcome): boolean {
  return status === 200 || (status === 404 && parseAddress(id) !== null);
}

function readBatch(body: JsonObject) {
  const { mints, size } = body;
  const profile = readProfile(body["profile"]);
  const requested = readSize(
    typeof size === "number" ? String(size) : size === undefined ? size : null,
  );
  if (!Check(BatchRequest, { mints }))
    throw invalid("invalid_body", `mints has to be a list of 1 to ${MOST_MINTS} mint addresses.`);
  return { mints: [...new Set(mints as readonly string[])], profile, size: requested };
}
