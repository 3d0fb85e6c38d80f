/** The part of JSON Schema that the service's OpenAPI document is written in. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: string | number;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly description?: string;
};

/** A field of an object type, its value as TypeScript text. */
export type Field = {
  readonly name: string;
  readonly text: string;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
};

/** What a schema admits, as a TypeScript type. @throws Error for what it has no words for */
export function typeText(schema: JsonSchema, indent = ""): string {
  const { $ref: reference, type, enum: values, anyOf, items } = schema;
  if (reference !== undefined) return reference.replace("#/components/schemas/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf !== undefined && type === "object") {
    // The same fields, other ones of them required.
    const { anyOf: _, required = [], ...shared } = schema;
    const alternatives = anyOf.map((part) => ({
      ...shared,
      required: [...required, ...(part.required ?? [])],
    }));
    return alternatives.map((part) => typeText(part, indent)).join(" | ");
  }
  if (anyOf !== undefined) {
    return [...new Set(anyOf.map((part) => typeText(part, indent)))].join(" | ");
  }
  switch (type) {
    case "string":
    case "boolean":
    case "number":
    case "null":
      return type;
    case "integer":
      return "number";
    case "array": {
      const item = typeText(items ?? {}, indent);
      const isOneWord = items?.anyOf === undefined && items?.enum === undefined;
      return isOneWord ? `readonly ${item}[]` : `readonly (${item})[]`;
    }
    case "object":
      return objectText(schema, indent);
    case undefined:
      return "unknown";
    default:
      throw new Error(`no TypeScript for a schema of type ${type}`);
  }
}

/** An object type with a line for each field, commented where there is something to say; undefined without fields. */
export function fieldsText(fields: readonly Field[], indent = ""): string {
  const inner = `${indent}  `;
  const lines = fields.flatMap(({ name, text, isRequired, description }) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const line = `${inner}readonly ${key}${isRequired ? `: ${text}` : `?: ${text} | undefined`};`;
    return description === undefined ? [line] : [`${inner}${comment(description)}`, line];
  });
  return lines.length === 0 ? "undefined" : `{\n${lines.join("\n")}\n${indent}}`;
}

export function comment(text: string): string {
  return `/** ${text.replaceAll("*/", "* /").replaceAll(/\s+/g, " ")} */`;
}

function objectText(schema: JsonSchema, indent: string): string {
  const { properties = {}, required = [], patternProperties, additionalProperties } = schema;
  if (isRefusal(properties)) return `Refusal<${typeText(properties["error"] ?? {})}>`;
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    text: typeText(property, `${indent}  `),
    isRequired: required.includes(name),
    description: property.description,
  }));
  const [pattern] = Object.values(patternProperties ?? {});
  if (pattern !== undefined) return `Readonly<Record<string, ${typeText(pattern, indent)}>>`;
  if (additionalProperties === undefined || additionalProperties === false) {
    return fieldsText(fields, indent);
  }
  const open = "Readonly<Record<string, unknown>>";
  return fields.length === 0 ? open : `(${fieldsText(fields, indent)} & ${open})`;
}

/** A code and a sentence, and nothing beside them: what most refusals are. */
function isRefusal(properties: Readonly<Record<string, JsonSchema>>): boolean {
  const { error } = properties;
  const isCode = error?.enum !== undefined || error?.const !== undefined;
  return isCode && Object.keys(properties).sort().join() === "error,message";
}
