import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openapiDocument } from "../../../src/http/openapi.ts";
import { OPERATIONS } from "../../../src/http/operations/all.ts";
import { comment, type Field, fieldsText, type JsonSchema, typeText } from "./type-text.ts";

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;
type OperationObject = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly in: "path" | "query" | "header";
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

const FILE = join(import.meta.dirname, "..", "src", "api-types.ts");
const HEAD =
  "// Made by tools/generate.ts from the service's OpenAPI document: npm run generate makes it anew.\n";

/**
 * The client's types, as the service's present schemas have them. Made here, and not by one of the
 * known generators: our schemas use a small part of JSON Schema, and those bring an OpenAPI parser
 * and an older TypeScript with them.
 */
export function generatedTypes(): string {
  // The document's own type says nothing of its parts; its tests do.
  const document = openapiDocument(OPERATIONS, { version: "", publicUrl: "" }) as Document;
  const named = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeText(schema)};\n`,
  );
  return [HEAD, ...named, errorCodes(document), operations(document)].join("\n");
}

function operations({ paths }: Document): string {
  const fields = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: operation.operationId,
      text: operationText({ method: method.toUpperCase(), path }, operation),
      isRequired: true,
      description: operation.summary,
    })),
  );
  const about = comment("Every operation: what it takes, and what it answers by status.");
  return `${about}\nexport type Operations = ${fieldsText(fields)};\n`;
}

function operationText(
  { method, path }: { readonly method: string; readonly path: string },
  { parameters = [], requestBody, responses }: OperationObject,
): string {
  const deep = "      ";
  const parametersIn = (place: "path" | "query" | "header"): string => {
    const fields = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, description, required, schema }) => ({
        name,
        text: typeText(schema, deep),
        isRequired: required,
        description,
      }));
    return fieldsText(fields, "    ");
  };
  const answers: readonly Field[] = Object.entries(responses).map(([status, { content }]) => ({
    name: status,
    text: contentText(content, deep),
    isRequired: true,
  }));
  const facts: readonly (readonly [string, string])[] = [
    ["method", JSON.stringify(method)],
    ["path", JSON.stringify(path)],
    ["parameters", parametersIn("path")],
    ["query", parametersIn("query")],
    ["headers", parametersIn("header")],
    ["body", contentText(requestBody?.content, "    ")],
    ["answers", fieldsText(answers, "    ").replaceAll(/"(\d+)":/g, "$1:")],
  ];
  return fieldsText(
    facts.map(([name, text]) => ({ name, text, isRequired: true })),
    "  ",
  );
}

function contentText(content: Content | undefined, indent: string): string {
  const [first] = Object.values(content ?? {});
  return first === undefined ? "undefined" : typeText(first.schema, indent);
}

function errorCodes(document: Document): string {
  const codes = new Set<string>();
  const schemas = [
    ...Object.values(document.components.schemas),
    ...Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.values(responses))
      .flatMap(({ content }) => Object.values(content ?? {}))
      .flatMap(({ schema }) => [schema, ...(schema.anyOf ?? [])]),
  ];
  for (const { properties } of schemas) {
    const { const: code, enum: several = [] } = properties?.["error"] ?? {};
    for (const each of [code, ...several]) if (typeof each === "string") codes.add(each);
  }
  const lines = [...codes].sort().map((code) => `\n  | ${JSON.stringify(code)}`);
  return `/** Every code that a refusal can have. */
export type ErrorCode =${lines.join("")};

/** What most refusals are: a stable code, and one helpful sentence. */
export type Refusal<Code extends ErrorCode> = { readonly error: Code; readonly message: string };
`;
}

if (import.meta.main) {
  if (!process.argv.includes("--check")) writeFileSync(FILE, generatedTypes());
  else if (readFileSync(FILE, "utf8") !== generatedTypes()) {
    console.error("src/api-types.ts is older than the service's schemas: npm run generate");
    process.exitCode = 1;
  }
}
