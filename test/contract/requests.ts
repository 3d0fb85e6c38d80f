import fc from "fast-check";
import type { DocumentedOperation, JsonSchema, ParameterObject } from "./document.ts";
import { beyond, damaged, hostileText, keeping } from "./values.ts";

/** The caller; callers.ts describes each name. */
const CALLER_NAMES = ["anonymous", "spent", "key", "bearer", "cookie"] as const;
export type CallerName = (typeof CALLER_NAMES)[number];

export type ContractRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly caller: CallerName;
  /** Everything as the document wants it. */
  readonly isValid: boolean;
  /** Past the proxy, which takes no stream and writes what it passes on in its own way. */
  readonly isDirect: boolean;
};

/** Placeholder in a request for the id of the caller's own object, known only when it is sent. */
export const OWN_ID = "own-id";

const JSON_TYPE = { "content-type": "application/json" } as const;
const OTHER_METHODS = [
  "PUT",
  "PATCH",
  "DELETE",
  "POST",
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
] as const;
const ENOUGH_TO_BE_TOO_LARGE = 17 * 1024;

const HOSTILE_HEADERS: Readonly<Record<string, readonly string[]>> = {
  "x-api-key": ["", "exi_", "exi_0000000000000000000000000000", "a".repeat(5_000), "\u00ff"],
  authorization: ["Bearer", "Bearer x.y", "Basic YTpi", `Bearer ${"a".repeat(5_000)}`],
  cookie: ["exitability.session_token=x.y", "=;;=", "exitability.session_token=%zz"],
  origin: ["https://elsewhere.example", "null", "not a url"],
  "sec-fetch-site": ["cross-site", "nonsense"],
  "accept-language": ["en;q=high, ;;;", "*", "x".repeat(4_000)],
  "if-none-match": ["*", 'W/"x"', ",,,"],
  "last-event-id": ["x.1", "9".repeat(50), ""],
  "x-forwarded-for": ["unknown", "::1, 999.1.1.1", ",", "2001:db8::%eth0"],
  accept: ["application/xml", "*/*;q=x"],
  range: ["bytes=0-1"],
  expect: ["nonsense"],
};

/** Requests that the document calls right, for one operation. */
export function validRequest(
  operation: DocumentedOperation,
  knownTexts: readonly string[],
): fc.Arbitrary<ContractRequest> {
  return fc
    .record({
      caller: fc.constantFrom<CallerName>(...callersOf(operation)),
      values: fc.record(valuesOf(operation, knownTexts)),
      body: operation.body === null ? fc.constant(null) : bodyOf(operation, knownTexts),
    })
    .map(({ caller, values, body }) => ({
      method: operation.method,
      target: targetOf(operation, values),
      headers: { ...headersOf(operation, values), ...(body === null ? {} : JSON_TYPE) },
      body: body === null ? null : JSON.stringify(body),
      caller,
      isValid: true,
      isDirect: operation.isStream,
    }));
}

/** Requests with something wrong or odd about them: most have to be refused, all have to be answered. */
export function oddRequest(
  operation: DocumentedOperation,
  knownTexts: readonly string[],
): fc.Arbitrary<ContractRequest> {
  return validRequest(operation, knownTexts).chain((valid) => {
    const request = { ...valid, isValid: false };
    const beyondLimits = justBeyond(operation, request);
    const ways = [
      ...(beyondLimits.length === 0 ? [] : [fc.constantFrom(...beyondLimits)]),
      anyCaller(request),
      oddHeader(request),
      oddMethod(request),
      ...(operation.parameters.some((each) => each.in !== "header") ? [oddTarget(request)] : []),
      ...(request.body === null ? [] : [oddBody(request), unreadableBody(request)]),
    ];
    return fc.oneof(...ways);
  });
}

function callersOf({ access }: DocumentedOperation): readonly CallerName[] {
  switch (access) {
    case "anyone":
      return ["anonymous"];
    case "caller":
      return CALLER_NAMES;
    case "session":
      return ["bearer", "cookie"];
    default: {
      const unreachable: never = access;
      return unreachable;
    }
  }
}

type Values = Readonly<Record<string, string | null>>;

/** The text of each parameter; null where it is left out. */
function valuesOf({ parameters, path }: DocumentedOperation, known: readonly string[]) {
  const arbitraries = parameters.map((parameter) => {
    const value = isOwnId(parameter.name, path)
      ? fc.oneof(fc.constant(OWN_ID), textOf(parameter, known))
      : textOf(parameter, known);
    const given = parameter.required ? value : fc.option(value);
    return [`${parameter.in} ${parameter.name}`, given] as const;
  });
  return Object.fromEntries(arbitraries);
}

function textOf(parameter: ParameterObject, known: readonly string[]): fc.Arbitrary<string> {
  if (parameter.in === "header") return fc.string({ maxLength: 60 }).map((text) => text.trim());
  const texts = parameter.example === undefined ? known : [String(parameter.example), ...known];
  // A path has no way to say these two: they are the folder and the one above it.
  return keeping(parameter.schema, { texts })
    .map(String)
    .filter((text) => text !== "." && text !== "..");
}

/** Whether a name stands for a thing of the caller's, which has to be looked up. */
function isOwnId(name: string, path: string): boolean {
  return name === "id" && !path.startsWith("/api/token/") && path !== "/mcp";
}

function bodyOf(operation: DocumentedOperation, texts: readonly string[]): fc.Arbitrary<unknown> {
  const schema: JsonSchema = operation.body ?? {};
  const made = keeping(schema, { texts });
  if (!isOwnId("id", operation.path) || schema.properties?.["id"] === undefined) return made;
  return fc.oneof(
    made,
    made.map((body) => ({ ...(body as object), id: OWN_ID })),
  );
}

function targetOf({ parameters, path }: DocumentedOperation, values: Values): string {
  let target = path;
  const query: string[] = [];
  for (const { name, in: place } of parameters) {
    const value = values[`${place} ${name}`];
    if (value === null || value === undefined) continue;
    if (place === "path") target = target.replace(`{${name}}`, () => encodeURIComponent(value));
    if (place === "query") query.push(`${name}=${encodeURIComponent(value)}`);
  }
  return query.length === 0 ? target : `${target}?${query.join("&")}`;
}

function headersOf({ parameters }: DocumentedOperation, values: Values): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, in: place } of parameters) {
    const value = values[`${place} ${name}`];
    if (place === "header" && typeof value === "string") headers[name.toLowerCase()] = value;
  }
  return headers;
}

type Odd = fc.Arbitrary<ContractRequest>;

function anyCaller(request: ContractRequest): Odd {
  return fc.constantFrom(...CALLER_NAMES).map((caller) => ({ ...request, caller }));
}

function oddHeader(request: ContractRequest): Odd {
  const headers = Object.entries(HOSTILE_HEADERS).flatMap(([name, values]) =>
    values.map((value) => ({ ...request.headers, [name]: value })),
  );
  return fc
    .constantFrom(...headers)
    .map((headers) => ({ ...request, headers, isDirect: true, caller: "anonymous" as const }));
}

function oddMethod(request: ContractRequest): Odd {
  return fc
    .constantFrom(...OTHER_METHODS)
    .map((method) => ({ ...request, method, isDirect: true }));
}

/** A parameter with another value, given twice, missing, or unknown. */
function oddTarget(request: ContractRequest): Odd {
  const [path = "", query = ""] = request.target.split("?");
  const segments = path.split("/");
  const pairs = query === "" ? [] : query.split("&");
  const withQuery = (changed: readonly string[]) => ({
    ...request,
    target: changed.length === 0 ? path : `${path}?${changed.join("&")}`,
  });
  return fc.oneof(
    fc
      .tuple(fc.nat(segments.length - 2), hostileText)
      .filter(([, text]) => text !== "." && text !== "..")
      .map(([place, text]) => {
        const changed = segments.with(place + 1, encodeURIComponent(text)).join("/");
        return {
          ...request,
          target: query === "" ? changed : `${changed}?${query}`,
          // The proxy makes one slash of two.
          isDirect: request.isDirect || changed.includes("//"),
        };
      }),
    fc.tuple(fc.nat(Math.max(0, pairs.length - 1)), hostileText).map(([place, text]) => {
      const [name = "size"] = (pairs[place] ?? "size").split("=");
      const pair = `${name}=${encodeURIComponent(text)}`;
      return withQuery(pairs.length === 0 ? [pair] : pairs.with(place, pair));
    }),
    fc.constant(withQuery([...pairs, ...pairs])),
    fc.constant(withQuery(pairs.slice(1))),
    fc.constant({ ...request, target: `${path}%zz`, isDirect: true }),
  );
}

/** The request with one value just beyond what the document allows. */
function justBeyond(
  { parameters, body }: DocumentedOperation,
  request: ContractRequest,
): readonly ContractRequest[] {
  const inQuery = parameters
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ name, schema }) =>
      beyond(schema).map((value) => {
        const [path = "", query = ""] = request.target.split("?");
        const others = query
          .split("&")
          .filter((pair) => pair !== "" && !pair.startsWith(`${name}=`));
        const pairs = [...others, `${name}=${encodeURIComponent(String(value))}`];
        return { ...request, target: `${path}?${pairs.join("&")}` };
      }),
    );
  const inBody = Object.entries(body?.properties ?? {}).flatMap(([name, schema]) =>
    beyond(schema).map((value) => {
      const valid = JSON.parse(request.body ?? "{}") as object;
      return { ...request, body: JSON.stringify({ ...valid, [name]: value }) };
    }),
  );
  return [...inQuery, ...inBody];
}

function oddBody(request: ContractRequest): Odd {
  const body: unknown = JSON.parse(request.body ?? "null");
  return damaged(body).map((other) => ({
    ...request,
    body: JSON.stringify(other),
    // The proxy writes a text without its quotes, and null as nothing at all.
    isDirect: request.isDirect || typeof other !== "object" || other === null,
  }));
}

/** No JSON, another type, no type, or more than is taken. */
function unreadableBody(request: ContractRequest): Odd {
  const json = request.body ?? "";
  const large = JSON.stringify({ padding: "x".repeat(ENOUGH_TO_BE_TOO_LARGE) });
  const typed = (body: string | null, type: string | null) => ({
    ...request,
    body,
    headers: type === null ? {} : { "content-type": type },
    isDirect: true,
  });
  return fc.constantFrom(
    typed(json.slice(0, -1), "application/json"),
    typed("", "application/json"),
    typed(null, "application/json"),
    typed(`\ufeff${json}`, "application/json"),
    typed(large, "application/json"),
    typed(large, "text/plain"),
    typed(json, "text/plain"),
    typed(json, "application/x-www-form-urlencoded"),
    typed(json, "application/json; charset=nonsense"),
    typed(json, "not a type"),
    typed(json, null),
    typed(null, null),
  );
}
