import fc from "fast-check";
import type { JsonSchema } from "./document.ts";

/** Strings that break things elsewhere. */
const HOSTILE_TEXTS = [
  "",
  " ",
  "null",
  "NaN",
  "-1",
  "1e3",
  "0x10",
  "9".repeat(40),
  "a".repeat(3_000),
  "ñandú 🦙 漢字",
  "\u0000",
  "\u202e\ufeff",
  "../../etc/passwd",
  "' or 1=1 --",
  "<script>alert(1)</script>",
  "%00%zz",
  "__proto__",
] as const;

const HOSTILE_VALUES = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  [],
  {},
  [[[[[[[[]]]]]]]],
  { toString: "no" },
] as const;

const NOW_MS = Date.now();
const LATELY_SECONDS = 30 * 86_400;

/** Texts that name something: taken where a schema allows them. */
type Known = { readonly texts: readonly string[] };

/** Values that keep the schema: up to its very limits, and with fields that it does not name. */
export function keeping(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined && schema.properties === undefined)
    return fc.oneof(...schema.anyOf.map((part) => keeping(part, known)));
  switch (schema.type) {
    case "string":
      return text(schema, known);
    case "integer":
    case "number":
      return number(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(keeping(schema.items ?? {}, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 10, 100),
        size: "medium",
      });
    case "object":
      return object(schema, known);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** One in three is a limit itself. */
function number({ type, minimum, maximum }: JsonSchema): fc.Arbitrary<number> {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  const made =
    type === "integer"
      ? fc.integer({ min: minimum ?? MIN_SAFE_INTEGER, max: maximum ?? MAX_SAFE_INTEGER })
      : fc.double({
          noNaN: true,
          noDefaultInfinity: true,
          ...(minimum === undefined ? {} : { min: minimum }),
          ...(maximum === undefined ? {} : { max: maximum }),
        });
  const limits = [minimum, maximum].filter((limit) => limit !== undefined);
  if (limits.length === 0) return made;
  return fc.oneof(
    { arbitrary: made, weight: 2 },
    { arbitrary: fc.constantFrom(...limits), weight: 1 },
  );
}

/** Values just beyond what a schema allows. */
export function beyond(schema: JsonSchema): readonly unknown[] {
  const { type, minimum, maximum, minLength = 0, maxLength } = schema;
  const step = type === "integer" ? 1 : 0.001;
  return [
    ...(minimum === undefined ? [] : [minimum - step]),
    ...(maximum === undefined ? [] : [maximum + step]),
    ...(minLength === 0 ? [] : [""]),
    ...(maxLength === undefined ? [] : ["a".repeat(maxLength + 1)]),
    ...(schema.enum === undefined ? [] : [`${String(schema.enum[0])}x`]),
  ];
}

function text(schema: JsonSchema, known: Known): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = 60 } = schema;
  const test = pattern === undefined ? null : new RegExp(pattern);
  const fits = (value: string) =>
    (test === null || test.test(value)) &&
    [...value].length >= minLength &&
    [...value].length <= (schema.maxLength ?? Number.POSITIVE_INFINITY);
  const fitting = known.texts.filter(fits);
  const made = madeText({ format, pattern: test, minLength, maxLength }).filter(fits);
  return fitting.length === 0 || format !== undefined
    ? made
    : fc.oneof(fc.constantFrom(...fitting), made);
}

function madeText({
  format,
  pattern,
  minLength,
  maxLength,
}: {
  readonly format: string | undefined;
  readonly pattern: RegExp | null;
  readonly minLength: number;
  readonly maxLength: number;
}): fc.Arbitrary<string> {
  if (format === "email") return fc.emailAddress({ size: "medium" });
  if (format === "date-time") {
    const lately = fc.nat(LATELY_SECONDS).map((ago) => new Date(NOW_MS - ago * 1_000));
    const min = new Date("2020-01-01T00:00:00Z");
    const max = new Date("2035-01-01T00:00:00Z");
    const ever = fc.date({ min, max, noInvalidDate: true });
    return fc
      .oneof({ arbitrary: lately, weight: 3 }, { arbitrary: ever, weight: 1 })
      .map((date) => date.toISOString());
  }
  if (pattern !== null) return fc.stringMatching(pattern, { maxLength, size: "medium" });
  const atTheLimit = fc.string({ minLength: maxLength, maxLength, unit: "binary" });
  const any = fc.string({ minLength, maxLength: Math.min(maxLength, 60), unit: "binary" });
  return fc.oneof({ arbitrary: any, weight: 5 }, { arbitrary: atTheLimit, weight: 1 });
}

function object(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], anyOf = [{}] } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, keeping(part, known)]),
  );
  const named = fc.oneof(
    ...anyOf.map(({ required: also = [] }) =>
      fc.record(fields, { requiredKeys: [...required, ...also], noNullPrototype: true }),
    ),
  );
  if (schema.additionalProperties === false) return named;
  const unnamed = fc.dictionary(
    fc.stringMatching(/^x_[a-z]{1,8}$/),
    fc.jsonValue({ maxDepth: 2 }),
    {
      maxKeys: 2,
      noNullPrototype: true,
    },
  );
  return fc.tuple(unnamed, named).map(([extra, body]) => ({ ...extra, ...body }));
}

/** Texts of every kind, most of which no parameter may take. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: "binary" }),
  fc.double().map(String),
);

/** Values of every kind. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...HOSTILE_VALUES),
  hostileText,
  fc.jsonValue(),
);

/** The value with one part of it replaced, left out or added to, anywhere in it. */
export function damaged(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== "object" || value === null) return hostileValue;
  if (Array.isArray(value)) {
    return fc.oneof(
      hostileValue,
      hostileValue.map((more) => [...value, more]),
      fc.constant(Array.from({ length: 101 }, (_, index) => value[0] ?? index)),
    );
  }
  const entries = Object.entries(value);
  const replaced = entries.map(([name, part]) =>
    damaged(part).map((other) => ({ ...value, [name]: other })),
  );
  const without = entries.map(([name]) =>
    fc.constant(Object.fromEntries(entries.filter(([other]) => other !== name))),
  );
  return fc.oneof(...replaced, ...without, fc.constant({}));
}
