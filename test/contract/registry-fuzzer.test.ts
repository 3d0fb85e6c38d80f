import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { openCallers } from "./callers.ts";
import { type JsonSchema, type OpenapiDocument, operationsOf } from "./document.ts";
import { exchange } from "./exchange.ts";
import { problemsOf } from "./judge.ts";
import { startProxiedService } from "./proxied-service.ts";
import type { ContractRequest } from "./requests.ts";

/** One case of openapi-fuzzer-core: what to send, and what it holds to be the right answer. */
type FuzzerCase = {
  readonly name: "PATH" | "METHOD" | "PATH PARAMS" | "QUERY PARAMS" | "BODY";
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly pathParams?: Readonly<Record<string, unknown>>;
    readonly queryParams?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
  };
  readonly expect: { readonly status: readonly number[] };
};

const fuzzer = createRequire(join(import.meta.dirname, "tools", "package.json"))(
  "openapi-fuzzer-core",
) as { readonly swagger: (document: object) => readonly FuzzerCase[] };

test("a fuzzer from the registry gets the refusals that it expects", async (t) => {
  const proxied = await startProxiedService(t);
  const callers = await openCallers(proxied);
  const cases = fuzzer.swagger(asSwagger2(proxied.document));
  const problems: string[] = [];
  for (const each of cases) {
    const request = await callers.dress(requestOf(each), each.name);
    const response = await exchange(
      request.isDirect ? proxied.service.url : proxied.proxyUrl,
      request,
    );
    const { statusCode, body } = response;
    const what = `${each.name} ${request.method} ${request.target} ${request.body ?? ""}`;
    if (!statusesFor(each).includes(statusCode)) problems.push(`${what}: ${statusCode} ${body}`);
    for (const problem of problemsOf(proxied.document, request, response))
      problems.push(`${what}: ${problem}`);
  }
  assert.deepEqual(problems, []);
  assert.ok(cases.length > 300, `${cases.length} cases`);
  t.diagnostic(`${cases.length} cases`);
});

/** An id that cannot be one is a thing that is not there: 404, where the fuzzer thinks of 400. */
function statusesFor({ name, expect }: FuzzerCase): readonly number[] {
  return name === "PATH PARAMS" ? [...expect.status, 404] : expect.status;
}

function requestOf({ request }: FuzzerCase): ContractRequest {
  const { method, path, pathParams = {}, queryParams = {}, body } = request;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(pathParams[name] ?? name)),
  );
  const query = new URLSearchParams(
    Object.entries(queryParams).map(([name, value]) => [name, String(value)]),
  );
  const isJson = body !== undefined;
  return {
    method: method.toUpperCase(),
    target: query.size === 0 ? filled : `${filled}?${query}`,
    headers: isJson ? { "content-type": "application/json" } : {},
    body: isJson ? JSON.stringify(body) : null,
    caller: "bearer",
    isValid: false,
    // The proxy takes no stream, writes texts and null in its own way, and makes one slash of two.
    isDirect:
      path.includes("stream") ||
      filled.includes("//") ||
      (isJson && (typeof body !== "object" || body === null)),
  };
}

/** The document in the older form that this fuzzer reads. */
function asSwagger2(document: OpenapiDocument): object {
  const definitions: Record<string, JsonSchema> = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const { id, method, path, parameters, body } of operationsOf(document)) {
    if (body !== null) definitions[id] = body;
    const inBody = { in: "body", name: "body", schema: { $ref: `#/definitions/${id}` } };
    const others = parameters.map(({ schema, ...parameter }) => ({ ...schema, ...parameter }));
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: { parameters: body === null ? others : [...others, inBody] },
    };
  }
  return { swagger: "2.0", basePath: "", paths, definitions };
}
