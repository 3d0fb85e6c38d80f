import Type, { type TSchema } from "typebox";

/** Schemas of single values that many bodies share. Unknown is null, never left out. */

/** The schema, or null where the value is not known. */
export function nullable<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? undefined : { description });
}

export const NullableNumber = nullable(Type.Number());

/** A moment in the contract's form: UTC, milliseconds, Z. */
export const Timestamp = Type.String({
  format: "date-time",
  description: "UTC, ISO 8601 with milliseconds and Z",
});

/** A Solana address in base58; `id` parameters are wider: what is no address is answered 404. */
export const AddressText = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  description: "A Solana address: 32 bytes in base58",
});

export const ProfileWord = Type.Enum(["retail", "pro"], {
  description: "retail: the best single route; pro: the order split over all of them",
});

/** Integers of any width cross as decimal text: they may not fit a JSON number. */
export const IntegerText = Type.String({ pattern: "^[0-9]+$" });
