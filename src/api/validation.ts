import { Ajv, type ValidateFunction } from "ajv";
import type { TSchema } from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { misspeltParameter } from "./misspelt-parameter.ts";
import { codeOfField } from "./plugins/errors.ts";

/** Returns the input with defaults filled in and fields converted (`readAs`), or why it is refused. */
export type InputCheck = (
  input: unknown,
) => { readonly value: unknown } | { readonly error: AppError };

type SchemaViolation = {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: object;
};

type JsonSchema = Readonly<Record<string, unknown>>;
type Reader = (value: unknown) => unknown;
type Field = JsonSchema & { readonly refusal?: string };

/**
 * Compiles operations' schemas of params, query and body at their first use. Inputs are changed in place.
 * Unknown fields are ignored, except a name in a query that resembles a parameter.
 */
export function createInputCompiler(): (schema: TSchema, part?: string) => InputCheck {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    useDefaults: true,
    verbose: true,
    // A test validates our schemas; compiling JSON Schema's own schema takes longer than compiling all of ours.
    validateSchema: false,
  });
  ajv.addKeyword({
    keyword: "read",
    modifying: true,
    errors: false,
    compile: (read: (value: unknown) => unknown) => (value, context) => {
      const found = read(value);
      if (found === null) return false;
      if (context?.parentData) context.parentData[context.parentDataProperty] = found;
      return true;
    },
  });
  return (schema, part) => {
    const fields = fieldsOf(schema);
    let check: ValidateFunction | null = null;
    return (input) => {
      const error = part === "querystring" ? wrongQuery(input as JsonSchema, fields) : null;
      if (error !== null) return { error };
      check ??= ajv.compile(checkedPart(schema) as JsonSchema);
      return check(input)
        ? { value: input }
        : { error: refusalOf(check.errors ?? [], input, fields) };
    };
  };
}

/** A field that is converted is checked by its converter alone; its documented schema is for readers. */
function checkedPart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkedPart);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id, ...rest } = schema as JsonSchema;
  if (typeof rest["read"] === "function") {
    const { read, default: fallback } = rest as { read: Reader; default?: unknown };
    if (fallback === undefined) return { read };
    // A default is documented as its own type; in a query it stands for text.
    const readDefault = () => read(String(fallback)) ?? read(fallback);
    return {
      default: fallback,
      read: (value: unknown) => (value === fallback ? readDefault() : read(value)),
    };
  }
  return Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, checkedPart(part)]));
}

function fieldsOf(schema: TSchema): Readonly<Record<string, Field>> {
  return ((schema as JsonSchema)["properties"] ?? {}) as Readonly<Record<string, Field>>;
}

/** What is wrong with the names in a query, whatever their values are. */
function wrongQuery(query: JsonSchema, fields: Readonly<Record<string, Field>>): AppError | null {
  return repeatedIn(query, fields) ?? misspeltIn(query, fields);
}

/** A parameter that was sent several times arrives as the list of its values. */
function repeatedIn(query: JsonSchema, fields: Readonly<Record<string, Field>>): AppError | null {
  for (const name of Object.keys(fields)) {
    const sent = query[name];
    if (!Array.isArray(sent)) continue;
    return new AppError(codeOfField(name, sent), {
      publicMessage: `${name} was given ${sent.length} times: give it once.`,
    });
  }
  return null;
}

function misspeltIn(query: object, fields: Readonly<Record<string, Field>>): AppError | null {
  const misspelt = misspeltParameter(Object.keys(query), Object.keys(fields));
  if (misspelt === null) return null;
  const { sent, meant } = misspelt;
  return new AppError(codeOfField(meant, sent), {
    publicMessage: `There is no parameter ${sent}; did you mean ${meant}?`,
  });
}

/** The first field that is wrong, in the order in which the schema declares the fields. */
function refusalOf(
  findings: readonly SchemaViolation[],
  input: unknown,
  fields: Readonly<Record<string, Field>>,
): AppError {
  for (const [name, field] of Object.entries(fields)) {
    const finding = findings.find((each) => fieldOf(each) === name);
    if (finding === undefined) continue;
    const sent = (input as JsonSchema)[name];
    return new AppError(codeOfField(name, sent), {
      publicMessage: field.refusal ?? `${name} ${reasonOf(finding)}.`,
    });
  }
  const needsOneOf = findings.some(({ keyword }) => keyword === "anyOf");
  return needsOneOf
    ? new AppError("no_changes", {
        publicMessage: `The body changes nothing: name ${Object.keys(fields).slice(1).join(", ")} or several of them.`,
      })
    : new AppError("invalid_body", { publicMessage: "The body must be a JSON object." });
}

function fieldOf({ keyword, instancePath, params, parentSchema }: SchemaViolation): string | null {
  if (instancePath !== "") return instancePath.split("/")[1] ?? null;
  // An alternative of the root's anyOf lacks a field: the anyOf itself reports that.
  const isOfObject = parentSchema !== undefined && "properties" in parentSchema;
  return keyword === "required" && isOfObject ? String(params["missingProperty"]) : null;
}

function reasonOf({ keyword, params, message }: SchemaViolation): string {
  switch (keyword) {
    case "required":
      return "is missing";
    case "enum":
      return `must be one of ${(params["allowedValues"] as readonly unknown[]).join(", ")}`;
    default:
      return message ?? "is not valid";
  }
}
