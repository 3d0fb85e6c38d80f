import Type from "typebox";
import { nullable, ProfileWord } from "./values.ts";

/** The body of every refusal and failure (contract.md section 7), with the codes that can occur. */
export function errorSchema(codes: readonly string[]) {
  return Type.Object({
    error: Type.Enum([...codes], { description: "A stable code" }),
    message: Type.String({ minLength: 1, description: "One helpful sentence" }),
  });
}

/** 404 of the endpoints about one token: a complete search found no pool or curve. */
export const TokenNotFoundBody = Type.Object(
  {
    error: Type.Literal("not_found"),
    message: Type.String({ minLength: 1 }),
    state: Type.Literal("not_found"),
    token_id: Type.String({ description: "The id as it was asked for" }),
    profile: ProfileWord,
    pool_of: Type.Optional(
      Type.String({ description: "The id is the address of a pool of this token: ask for it" }),
    ),
  },
  { $id: "TokenNotFound" },
);

/** 404 of a past slot: no answer is stored that was given at it or shortly before. */
export const StateNotStoredBody = Type.Object(
  {
    error: Type.Literal("state_not_stored"),
    message: Type.String({ minLength: 1 }),
    token_id: Type.String(),
    at_slot: Type.Integer({ description: "The slot that was asked for" }),
    slot_before: nullable(Type.Integer(), "The newest stored slot at or before it; null: none"),
    slot_after: nullable(Type.Integer(), "The oldest stored slot after it; null: none"),
  },
  { $id: "StateNotStored" },
);

/** 429 of the measuring endpoints: what was used, of what, and the ways on. */
export const RateLimitBody = Type.Object(
  {
    error: Type.Literal("rate_limit_exceeded"),
    message: Type.String({ minLength: 1 }),
    used: Type.Integer(),
    limit: Type.Integer(),
    register_url: nullable(Type.String(), "Where an anonymous caller registers; null for others"),
    waitlist_url: Type.String(),
    upgrade_cta: Type.String(),
  },
  { $id: "RateLimitExceeded" },
);
