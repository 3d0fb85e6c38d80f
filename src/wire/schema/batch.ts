import Type, { type Static } from "typebox";
import { ExitabilityBody } from "../exitability.ts";
import { nullable, ProfileWord } from "./value.ts";

export const MOST_MINTS = 100;
/** What is longer is no address; a shorter text that is none has an outcome that says so. */
export const LONGEST_MINT_TEXT = 100;

/** What POST /api/exitability/batch asks. Validates the request's shape as it stands here. */
export const BatchRequest = Type.Object({
  mints: Type.Array(Type.String({ minLength: 1, maxLength: LONGEST_MINT_TEXT }), {
    minItems: 1,
    maxItems: MOST_MINTS,
    description: "Mint addresses; one that is named twice is answered and counted once",
  }),
  profile: Type.Optional(ProfileWord),
  size: Type.Optional(Type.Number({ minimum: 0.01, maximum: 1000, default: 1 })),
});

/** One token's outcome, as its own request would have been answered. */
export const TokenOutcome = Type.Object(
  {
    token_id: Type.String({ description: "As it was asked for" }),
    status: Type.Enum([200, 404, 429, 500, 503]),
    exitability: nullable(ExitabilityBody, "With status 200; null with any other"),
    error: nullable(Type.String(), "A code of the same status; null with 200"),
    message: nullable(Type.String()),
  },
  { $id: "TokenOutcome" },
);
export type TokenOutcome = Static<typeof TokenOutcome>;

export const BatchBody = Type.Object(
  { profile: ProfileWord, items: Type.Array(TokenOutcome) },
  { $id: "Batch" },
);
