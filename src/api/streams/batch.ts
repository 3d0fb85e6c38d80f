import Type from "typebox";
import { mapSome } from "#src/platform/map-some.ts";
import type { Markets } from "#src/track/markets.ts";
import { parseAddress } from "#src/units/address.ts";
import { RateLimitBody } from "../error-bodies.ts";
import { EXAMPLE_MINT } from "../examples.ts";
import { EXITABILITY_EXAMPLE } from "../measuring/exitability-body.ts";
import { LANGUAGE_HEADER, PROFILE_FIELD, SIZE_BODY_FIELD } from "../measuring/token-question.ts";
import {
  largestWithinCost,
  MAX_COST_BODY_FIELD,
  unknownWithinCost,
  WithinCost,
} from "../measuring/within-cost.ts";
import { defineOperation } from "../operation.ts";
import { BODY_ERRORS } from "../operation-parts.ts";
import { nullable, ProfileWord } from "../values.ts";
import { COST } from "./stream-fields.ts";
import {
  beyondLimit,
  LONGEST_MINT_TEXT,
  MOST_MINTS,
  outcomeOf,
  serverFailed,
  TokenOutcome,
} from "./token-outcome.ts";

const AT_ONCE = 8;

const BatchItem = Type.Object(
  {
    ...TokenOutcome.properties,
    within_cost: nullable(WithinCost, "With max_cost and status 200; else null"),
  },
  { $id: "BatchItem" },
);

const BatchBody = Type.Object(
  { profile: ProfileWord, items: Type.Array(BatchItem) },
  { $id: "Batch" },
);

export const getExitabilityBatch = defineOperation({
  method: "post",
  path: "/api/exitability/batch",
  id: "getExitabilityBatch",
  tag: "streams",
  summary: "Up to a hundred tokens at once, each with its own outcome",
  description: `${COST} If the day has fewer queries left, the first tokens are answered and the others have status 429. With a daily gate, a token that could not be measured is refunded.`,
  access: "caller",
  isOpenToPages: true,
  meter: "tokens",
  headers: [LANGUAGE_HEADER],
  body: {
    schema: Type.Object({
      profile: PROFILE_FIELD,
      size: SIZE_BODY_FIELD,
      max_cost: Type.Optional(MAX_COST_BODY_FIELD),
      mints: Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_MINT_TEXT }), {
        minItems: 1,
        maxItems: MOST_MINTS,
        description: "Mint addresses; a repeated one is answered and counted once",
        refusal: `mints must be a list of 1 to ${MOST_MINTS} mint addresses.`,
      }),
    }),
    example: { mints: [EXAMPLE_MINT], profile: "pro" },
  },
  responses: {
    200: {
      description: "An outcome for each, in the order asked",
      schema: BatchBody,
      example: {
        profile: "retail",
        items: [
          {
            token_id: EXAMPLE_MINT,
            status: 200,
            exitability: EXITABILITY_EXAMPLE,
            error: null,
            message: null,
            within_cost: null,
          },
        ],
      },
    },
  },
  errors: [
    "unauthorized",
    ...BODY_ERRORS,
    "invalid_profile",
    "invalid_size",
    "rate_limit_exceeded",
  ],
  errorSchemas: { 429: RateLimitBody },
  prepare({ body }, { markets }) {
    const mints = [...new Set(body.mints)];
    const unloaded = mints.filter((id) => isUnloaded(markets, id)).length;
    return { mints, tokens: mints.length, unloaded, pages: [] };
  },
  async handler({ question: { mints }, body, grant, language, request }, { markets }) {
    const { profile, size, max_cost: maxCostPpm } = body;
    const question = { profile, size, language };
    const withinCost = async ({ token_id: id, status }: TokenOutcome) => {
      const mint = maxCostPpm === undefined || status !== 200 ? null : parseAddress(id);
      if (mint === null || maxCostPpm === undefined) return null;
      return largestWithinCost(markets, mint, { profile, maxCostPpm }).catch((err: unknown) => {
        request.log.error(
          { mint: id, err },
          "failed to find the largest size within a cost; the token is answered, and this size is unknown",
        );
        return unknownWithinCost(maxCostPpm);
      });
    };
    const failures: { readonly mint: string; readonly err: unknown }[] = [];
    const items = await mapSome(mints, AT_ONCE, async (id, place) => {
      try {
        const outcome =
          place < grant.granted ? await outcomeOf(markets, id, question) : beyondLimit(id);
        return { ...outcome, within_cost: await withinCost(outcome) };
      } catch (err) {
        failures.push({ mint: id, err });
        return { ...serverFailed(id), within_cost: null };
      }
    });
    const [first] = failures;
    if (first !== undefined && failures.length === Math.min(mints.length, grant.granted)) {
      await grant.refundAll();
      throw first.err;
    }
    for (const failure of failures)
      request.log.error(failure, "failed to measure a token of a batch; the others are answered");
    await grant.refund(items.flatMap((item, place) => (isCounted(item) ? [] : place)));
    return { body: { profile, items } };
  },
});

function isUnloaded(markets: Pick<Markets, "latest">, id: string): boolean {
  const mint = parseAddress(id);
  return mint !== null && markets.latest(mint) === null;
}

/** As for a request of its own: 200 and 404 count, but not the 404 of a text that is not an address. */
function isCounted({ token_id: id, status }: TokenOutcome): boolean {
  return status === 200 || (status === 404 && parseAddress(id) !== null);
}
