import assert from "node:assert/strict";
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from "fastify";
import { Check, Errors } from "typebox/value";
import { buildApp, type HttpDeps } from "#src/api/app.ts";
import { METERED_HEADERS } from "#src/api/headers.ts";
import { schemaOfAnswer } from "#src/api/openapi.ts";
import type { DocumentedOperation as Operation } from "#src/api/operation.ts";
import { OPERATIONS } from "#src/api/operations.ts";
import { unavailable } from "#src/proof/proofs.ts";

/** The app, which fails a test whose answer is not one that the reference documents. */
export async function buildCheckedApp(
  deps: Omit<HttpDeps, "proofOf"> & Partial<Pick<HttpDeps, "proofOf">>,
): Promise<FastifyInstance> {
  const proofOf = () => Promise.reject(unavailable("this test has no chain"));
  const app = await buildApp({ proofOf, ...deps });
  const inject = app.inject.bind(app);
  const checked = async (options: InjectOptions): Promise<LightMyRequestResponse> => {
    const response = await inject(options);
    assertDocumented(options, response);
    return response;
  };
  return Object.assign(app, { inject: checked });
}

type Answer = Pick<LightMyRequestResponse, "statusCode" | "body" | "json"> & {
  readonly headers: Readonly<Record<string, unknown>>;
};

/** Fails unless the reference documents this answer, field by field and no field more. */
export function assertDocumented({ method = "GET", url }: InjectOptions, response: Answer): void {
  const operation = operationOf(String(method), String(url));
  if (operation === null) return;
  const { statusCode: status, headers } = response;
  const what = `${method} ${String(url)} ${status}`;
  if (status === 304) {
    assert.ok(operation.isConditional, `${what} is not documented`);
    assert.equal(response.body, "", what);
    return;
  }
  const schema = schemaOfAnswer(operation, status);
  assert.ok(schema, `${what} is not documented: ${response.body.slice(0, 200)}`);
  const { contentType: type = "application/json" } = operation.responses[status] ?? {};
  if (type === null) assert.equal(response.body, "", what);
  else assert.ok(String(headers["content-type"]).startsWith(type), `${what} is ${type}`);
  // Another path's method is refused before it is known who asks.
  if (operation.meter !== undefined && status !== 405) {
    for (const name of METERED_HEADERS) assert.ok(headers[name.toLowerCase()], `${what}: ${name}`);
  }
  if (status === 429) assert.match(String(headers["retry-after"]), /^\d+$/, `${what}: Retry-After`);
  assert.ok(headers["x-request-id"], `${what}: X-Request-Id`);
  const isPacked = headers["content-encoding"] !== undefined;
  if (type === "application/json" && !isPacked) assertKeeps(schema, response.json(), what);
}

/** Fails unless the value keeps the schema and has no field that the schema does not name. */
export function assertKeeps(schema: object, value: unknown, what: string): void {
  const strict = closed(schema) as object;
  if (Check(strict, value)) return;
  const [first] = Errors(strict, value);
  assert.fail(`${what}: ${first?.instancePath} ${first?.message} in ${JSON.stringify(value)}`);
}

/** The operation that a request is for; null where the reference has none. */
export function operationOf(method: string, url: string): Operation | null {
  const path = url.split("?")[0] ?? "";
  const onPath = OPERATIONS.filter((operation) => patternOf(operation.path).test(path));
  // What a path says literally goes before a parameter that would take it.
  const literal = onPath.filter((operation) => operation.path === path);
  const candidates = literal.length > 0 ? literal : onPath;
  return candidates.find((operation) => operation.method === method.toLowerCase()) ?? null;
}

/** As the router: an empty text is a value of a parameter too. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]*")}$`);
}

/** The schema with every object closed: a field that no schema names is a mistake here. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [key, closed(part)]),
  );
  return "properties" in parts && !("additionalProperties" in parts)
    ? { ...parts, additionalProperties: false }
    : parts;
}
