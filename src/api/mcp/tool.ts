import { Ajv, type ErrorObject } from "ajv";
import Type, { type Static, type TObject, type TSchema } from "typebox";
import { isJsonObject } from "#src/platform/json-object.ts";
import { sentBody } from "../openapi.ts";
import type { Operation } from "../operation.ts";

/** One request to the service's own API, on behalf of the tool's caller. */
export type Ask = (method: "GET" | "POST", path: string, payload?: object) => Promise<ToolAnswer>;

export type ToolAnswer = {
  readonly status: number;
  /** JSON. */
  readonly text: string;
  /** Seconds, as the header Retry-After has them; null without one. */
  readonly retryAfter: string | null;
};

/** What agents see of a tool, and how it asks the API. */
export type Tool<Input extends TObject = TObject> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** The answer of a call that succeeds: an object. */
  readonly output: TSchema;
  run(input: Static<Input>, ask: Ask, signal: AbortSignal): Promise<ToolAnswer>;
};

/** Infers the type of a tool's input from its schema. */
export function defineTool<Input extends TObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** The token of a tool's question; the API itself says what is wrong with another text. */
export const MINT_FIELD = Type.String({ maxLength: 100, description: "The token's mint address" });

/**
 * A tool that is one GET operation about one token: its input is `mint` and the operation's query
 * fields. Fields that exist only to be refused are left out.
 */
export function toolOf(
  operation: Pick<Operation, "path" | "responses"> & { readonly query?: TObject },
  words: Pick<Tool, "name" | "title" | "description">,
): Tool {
  const fields = Object.entries(operation.query?.properties ?? {}).filter(
    ([, field]) => !("isHidden" in field),
  );
  const query = Object.fromEntries(fields.map(([name, field]) => [name, Type.Optional(field)]));
  return {
    ...words,
    input: closed({ mint: MINT_FIELD, ...query }),
    output: answerOf(operation),
    run: ({ mint, ...asked }, ask) => ask("GET", pathOf(operation, String(mint), asked)),
  };
}

/** The schema of an operation's successful answer. */
export function answerOf({ responses }: Pick<Operation, "responses">): TSchema {
  const schema = responses[200]?.schema;
  if (schema === undefined) throw new TypeError("the operation has no answer of status 200");
  return schema;
}

/** An input schema that refuses arguments it does not name. */
export function closed<const Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) {
  return Type.Object(fields, { additionalProperties: false });
}

/** The operation's path for one token, with a query. */
export function pathOf(
  { path }: Pick<Operation, "path">,
  mint: string,
  query: Readonly<Record<string, unknown>>,
): string {
  const asked = Object.entries(query).map(([name, value]) => [name, String(value)]);
  const text = new URLSearchParams(asked).toString();
  const filled = path.replace("{id}", segmentOf(mint));
  return text === "" ? filled : `${filled}?${text}`;
}

/**
 * A text as one segment of a path. `.` and `..` get a space, because a URL resolves them even when they are
 * escaped; half of a surrogate pair is replaced, because a URL cannot hold it.
 */
function segmentOf(text: string): string {
  return encodeURIComponent(text.toWellFormed().replace(/^\.{1,2}$/, "$& "));
}

type ObjectSchema = { readonly type: "object" } & Readonly<Record<string, unknown>>;

type InputSchema = ObjectSchema & {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
};

/** A tool with its input as agents get it, and as arguments are checked. */
export type PreparedTool = Tool & {
  /** JSON Schema. */
  readonly inputSchema: InputSchema;
  readonly outputSchema: ObjectSchema;
  /** Drops optional arguments that are null, and fills in defaults. Null where the rest fits, else what is wrong. */
  readonly refusalOf: (input: Record<string, unknown>) => string | null;
};

/** The tools with checks of their arguments; the schemas are compiled at the first call. */
export function prepareTools(tools: readonly Tool[]): readonly PreparedTool[] {
  const ajv = new Ajv({ strict: false, useDefaults: true, validateSchema: false });
  return tools.map((tool) => {
    const inputSchema = { ...plainSchema(sentBody(tool.input)), type: "object" } as InputSchema;
    return {
      ...tool,
      inputSchema,
      outputSchema: { ...plainSchema(tool.output), type: "object" as const },
      refusalOf(input) {
        dropNulls(input, inputSchema);
        const check = ajv.compile(inputSchema);
        if (check(input)) return null;
        const names = Object.keys(tool.input.properties);
        return (check.errors ?? []).map((error) => refusalText(error, names)).join(", ");
      },
    };
  });
}

/** Agents send null for an optional argument that they leave out. */
function dropNulls(input: Record<string, unknown>, { properties, required }: InputSchema): void {
  for (const name of Object.keys(properties))
    if (input[name] === null && required?.includes(name) !== true) delete input[name];
}

/** What is wrong with an argument, and what it may be. */
function refusalText(
  { instancePath, keyword, params, message = "" }: ErrorObject,
  names: readonly string[],
): string {
  const what = `arguments${instancePath}`;
  if (keyword === "additionalProperties")
    return `${what} must not have ${params["additionalProperty"]}; they are ${names.join(", ")}`;
  if (keyword === "enum") return `${what} must be one of ${params["allowedValues"].join(", ")}`;
  return `${what} ${message}`;
}

/** Fields that JSON Schema does not have, and names that two tools may not share. */
const NOT_PUBLISHED = new Set(["$id", "isHidden", "refusal", "read"]);

function plainSchema(schema: object): Readonly<Record<string, unknown>> {
  return JSON.parse(
    JSON.stringify(schema, (name, value) => (NOT_PUBLISHED.has(name) ? undefined : typed(value))),
  );
}

/** A choice of texts with its type. Gemini refuses all tools of a client if a choice has none. */
function typed(value: unknown): unknown {
  if (!isJsonObject(value) || "type" in value) return value;
  const { enum: choices } = value;
  const isOfTexts = Array.isArray(choices) && choices.every((each) => typeof each === "string");
  return isOfTexts ? { type: "string", ...value } : value;
}
