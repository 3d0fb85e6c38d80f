import Type, { type TSchema } from "typebox";
import { parseAddress } from "#src/units/address.ts";
import { EMAIL_PATTERN, type EmailAddress, parseEmailAddress } from "#src/users/email-address.ts";

/** Schemas of single values that many endpoints share. An unknown value is null, never left out. */

/** The schema, or null while the value is unknown. */
export function nullable<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? undefined : { description });
}

/**
 * A request field that handlers get as another type than callers send: `schema` documents the sent
 * form, `read` checks and converts it and returns null for anything else, which is then refused with
 * the sentence `refusal`. Query and path values arrive as text.
 */
export function readAs<Value>(
  schema: TSchema,
  read: (value: unknown) => Value | null,
  refusal: string,
) {
  return Type.Unsafe<Value>({ ...schema, read, refusal });
}

/** A converter of text: null for any other type. */
export function fromText<Value>(read: (text: string) => Value | null) {
  return (value: unknown): Value | null => (typeof value === "string" ? read(value) : null);
}

/** `{ items: [...] }`. */
export function itemsOf<Item extends TSchema>(item: Item) {
  return Type.Object({ items: Type.Array(item) });
}

export function nullablePercent(description: string) {
  return nullable(Type.Number({ minimum: 0, maximum: 100 }), description);
}

export const NullableNumber = nullable(Type.Number());

/** A time in the contract's form: UTC, milliseconds, Z. */
export const Timestamp = Type.String({
  format: "date-time",
  description: "UTC, ISO 8601 with milliseconds and Z",
});

export function timestamp(ms: number): string {
  return new Date(ms).toISOString();
}

export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}

/** A Solana address in base58; `id` parameters are wider: any other id is answered 404. */
export const AddressText = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  description: "A Solana address: 32 bytes in base58",
});

/** An address in a request. */
export const AddressField = readAs(
  AddressText,
  fromText(parseAddress),
  "mint must be a Solana address: 32 bytes in base58.",
);

export const ProfileWord = Type.Enum(["retail", "pro"], {
  description: "retail: the best single route; pro: the order split over all of them",
});

/** Integers of any width are sent as decimal text: they may not fit a JSON number. */
export const IntegerText = Type.String({ pattern: "^[0-9]+$" });

/** Decimal ids of rows: more digits are not an id. */
const ID_DIGITS = /^\d{1,18}$/;

/** The id of a row in a request, as text. */
export function idText(what: string, description: string, example?: string) {
  return readAs(
    Type.String({ pattern: "^[0-9]{1,18}$", description, ...(example && { example }) }),
    fromText((text) => (ID_DIGITS.test(text) ? BigInt(text) : null)),
    `${what}.`,
  );
}

/** A whole number in a query: plain digits. */
export function countText(
  name: string,
  range: { readonly minimum: number; readonly maximum: number; readonly default: number },
  description: string,
) {
  const { minimum, maximum } = range;
  return readAs(
    Type.Integer({ ...range, description }),
    fromText((text) => {
      const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
      return count >= minimum && count <= maximum ? count : null;
    }),
    `${name} must be a whole number from ${minimum} to ${maximum}.`,
  );
}

/** The same pattern and length as `parseEmailAddress` checks. */
export const EmailField = readAs<EmailAddress>(
  Type.String({
    format: "email",
    pattern: EMAIL_PATTERN,
    maxLength: 254,
    description: "Plain ASCII; a domain in another script in its xn-- form",
  }),
  fromText(parseEmailAddress),
  "email must be an e-mail address, in plain ASCII.",
);

/**
 * Text without control characters, which no such field needs and one of the databases can't store.
 */
export function plainText(name: string, maxLength: number, options: { default?: string } = {}) {
  const pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";
  return readAs(
    Type.String({ maxLength, pattern, ...options }),
    fromText((text) =>
      text.isWellFormed() && !/\p{Cc}/u.test(text) && [...text].length <= maxLength ? text : null,
    ),
    `${name} must be a text of at most ${maxLength} characters, without control characters.`,
  );
}

/** An id in a path that is looked up as it is: an unknown one is 404. */
export function anyId(description: string) {
  return readAs(
    Type.String({ minLength: 1, description }),
    fromText((text) => text),
    "id must be a text.",
  );
}
