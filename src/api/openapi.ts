import type { TObject, TSchema } from "typebox";
import type { PublicCode } from "#src/platform/app-error.ts";
import { assertNever } from "#src/platform/assert-never.ts";
import { sessionCookie } from "#src/users/own-cookie.ts";
import {
  WEBHOOK_HEADERS,
  WEBHOOK_MESSAGES,
  WEBHOOK_RULES,
  webhookBodyExample,
  webhookBodySchema,
} from "./alerts/webhook-messages.ts";
import { errorSchema } from "./error-bodies.ts";
import { HEADERS, type HeaderName, METERED_HEADERS, OPEN_TO_PAGES_HEADERS } from "./headers.ts";
import type { DocumentedOperation as Operation, Parameter, Response } from "./operation.ts";
import { STATUS_OF_CODE } from "./plugins/errors.ts";

/** Errors of every endpoint: a wrong method, our own failure, and shed load. */
const ALWAYS: readonly PublicCode[] = [
  "method_not_allowed",
  "rate_limit_exceeded",
  "server_error",
  "overloaded",
];

const TAGS = {
  exitability: "What selling a token now would pay. Each request counts as one query.",
  token: "Other facts about a token. Each request counts as one query.",
  streams: "Many tokens at once, and changes as they happen. Each operation states its cost.",
  accounts: "Registration, signing in, API keys.",
  watchlist: "The tokens that a user watches.",
  service: "The service itself. These requests do not count.",
};

const ON_EVERY_ANSWER = [
  "X-Request-Id",
  "X-Chain",
  "X-Commitment",
  "Cache-Control",
  "Vary",
] as const;

/** What errors of these statuses say in headers of their own. */
const HEADERS_OF_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  405: ["Allow"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

type Json = { readonly [name: string]: unknown };

/** The OpenAPI 3.1 document of these operations: the schemas are those that answers are held to. */
export function openapiDocument(
  operations: readonly Operation[],
  service: { readonly version: string; readonly publicUrl: string },
): Json {
  const schemas = new Map<string, unknown>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: operationObject(operation, schemas),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Exitability",
      version: service.version,
      description:
        "Whether a Solana token can be sold now, and what it would really pay, computed from the raw accounts of every pool. It measures only: it never trades, builds a transaction, recommends or predicts. A query parameter whose name resembles one of the operation's is refused (400); other unknown parameters, and unknown fields of a body, are ignored. Pages of any origin may read the endpoints about tokens and the service, as anonymous callers: keys and sessions from pages of other sites are not accepted.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: service.publicUrl, description: "This service" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooksObject(schemas),
    components: {
      schemas: Object.fromEntries(schemas),
      headers: HEADERS,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        accessToken: { type: "http", scheme: "bearer" },
        dashboard: { type: "apiKey", in: "cookie", name: sessionCookie(service.publicUrl).name },
      },
    },
  };
}

/** What the service posts to the webhooks of users. */
function webhooksObject(schemas: Map<string, unknown>): Json {
  const parameters = WEBHOOK_HEADERS.map(([name, description, example]) => ({
    name,
    in: "header",
    description,
    required: true,
    schema: { type: "string" },
    example,
  }));
  const operations = WEBHOOK_MESSAGES.map((message) => [
    message.type,
    {
      post: {
        operationId: message.id,
        tags: ["watchlist"],
        summary: message.summary,
        description: WEBHOOK_RULES,
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: named(webhookBodySchema(message), schemas),
              example: webhookBodyExample(message),
            },
          },
        },
        responses: {
          "2XX": { description: "Accepted" },
          "4XX": { description: "400, 413 and 422 refuse the message; others repeat it" },
          "5XX": { description: "The message is repeated" },
        },
      },
    },
  ]);
  return Object.fromEntries(operations);
}

/** Statuses that the operation documents, with the error codes of each; successes have none. */
function errorCodesOf({ errors }: Operation): ReadonlyMap<number, readonly PublicCode[]> {
  return Map.groupBy(new Set([...errors, ...ALWAYS]), (code) => STATUS_OF_CODE[code]);
}

/** The schema that an answer of this status has to keep; null where the status is not documented. */
export function schemaOfAnswer(operation: Operation, status: number): object | null {
  const success = operation.responses[status];
  if (success !== undefined) return success.schema;
  const special = operation.errorSchemas?.[status];
  if (special !== undefined) return special;
  const codes = errorCodesOf(operation).get(status);
  return codes === undefined ? null : errorSchema(codes);
}

function operationObject(operation: Operation, schemas: Map<string, unknown>): Json {
  const { id, tag, summary, description, body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: securityOf(operation),
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.map((parameter) => parameterObject(parameter, schemas)) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: named(sentBody(body.schema), schemas),
                example: body.example,
              },
            },
          },
        }),
    responses: responsesOf(operation, schemas),
  };
}

function securityOf({ access }: Operation): readonly Json[] {
  switch (access) {
    case "anyone":
      return [];
    case "caller":
      return [{}, { apiKey: [] }, { accessToken: [] }, { dashboard: [] }];
    case "session":
      return [{ accessToken: [] }, { dashboard: [] }];
    default:
      return assertNever(access);
  }
}

function parametersOf(operation: Operation): readonly Parameter[] {
  const headers = (operation.headers ?? []).map((header) => ({ in: "header", ...header }) as const);
  return [...fieldsIn("path", operation.params), ...fieldsIn("query", operation.query), ...headers];
}

function fieldsIn(place: "path" | "query", schema: TObject | undefined): readonly Parameter[] {
  const required: readonly string[] = schema?.required ?? [];
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const { description = "", example, isHidden, ...rest } = field as FieldSchema;
    if (isHidden === true) return [];
    const isRequired = required.includes(name) && rest.default === undefined;
    return {
      in: place,
      name,
      description,
      schema: rest,
      isRequired,
      ...(example === undefined ? {} : { example }),
    };
  });
}

type FieldSchema = TSchema & {
  readonly description?: string;
  readonly example?: string | number;
  readonly isHidden?: boolean;
  readonly default?: unknown;
};

/** The schema of a body as callers send it: a field with a default may be left out. */
export function sentBody(schema: TSchema): object {
  const { required, properties, ...rest } = schema as Partial<TObject>;
  if (required === undefined || properties === undefined) return schema;
  const stillRequired = required.filter(
    (name) => (properties[name] as FieldSchema).default === undefined,
  );
  return { ...rest, properties, ...(stillRequired.length > 0 && { required: stillRequired }) };
}

function parameterObject(parameter: Parameter, schemas: Map<string, unknown>): Json {
  const { name, description, isRequired = false, example, schema } = parameter;
  return {
    name,
    in: parameter.in,
    description,
    required: isRequired,
    schema: named(schema, schemas),
    ...(example === undefined ? {} : { example }),
  };
}

function responsesOf(operation: Operation, schemas: Map<string, unknown>): Json {
  const responses: Record<string, unknown> = {};
  const always: readonly HeaderName[] = [
    ...(operation.isOpenToPages === true ? OPEN_TO_PAGES_HEADERS : []),
    ...(operation.meter !== undefined ? METERED_HEADERS : []),
  ];
  const tagged: readonly HeaderName[] = operation.isConditional === true ? ["ETag"] : [];
  for (const [status, success] of Object.entries(operation.responses)) {
    const { headers = [] } = success;
    const named = headersOf([...tagged, ...always, ...headers]);
    responses[status] = successObject(success, named, schemas);
  }
  if (operation.isConditional === true) {
    responses["304"] = {
      description: "The state is still the one that If-None-Match names",
      headers: headersOf([...tagged, ...always, ...(operation.responses[200]?.headers ?? [])]),
    };
  }
  for (const [status, codes] of errorCodesOf(operation)) {
    const schema = operation.errorSchemas?.[status] ?? namedErrorSchema(codes);
    responses[status] = {
      description: codes.join(", "),
      headers: headersOf([...(HEADERS_OF_STATUS[status] ?? []), ...always]),
      content: { "application/json": { schema: named(schema, schemas) } },
    };
  }
  return responses;
}

function successObject(success: Response, headers: Json, schemas: Map<string, unknown>): Json {
  const { description, schema, example, contentType = "application/json" } = success;
  if (contentType === null) return { description, headers };
  const content = { [contentType]: { schema: named(schema, schemas), example } };
  return { description, headers, content };
}

function headersOf(names: readonly HeaderName[]): Json {
  const all: readonly HeaderName[] = [...ON_EVERY_ANSWER, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The body of these errors under one name in all operations: generators then make one type of it. */
function namedErrorSchema(codes: readonly PublicCode[]): object {
  const sorted = [...codes].sort();
  const words = sorted.join("_or_").split("_");
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return { ...errorSchema(sorted), $id: `Error${name}` };
}

/** The schema as plain JSON; each part with a name becomes a component and a reference to it. */
function named(schema: unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => named(part, schemas));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id, ...rest }: Record<string, unknown> = { ...schema };
  const isNamed = typeof $id === "string";
  const reference = isNamed ? { $ref: `#/components/schemas/${$id}` } : null;
  if (isNamed && schemas.has($id)) return reference;
  const parts = Object.fromEntries(
    Object.entries(rest)
      .filter(([key, value]) => !isOnlyOurs(key, value))
      .map(([key, value]) => [key, named(value, schemas)]),
  );
  if (isNamed) schemas.set($id, parts);
  return reference ?? parts;
}

/** What `readAs` adds to a schema; a property of an object may be called the same, and is a schema. */
function isOnlyOurs(key: string, value: unknown): boolean {
  return (key === "read" || key === "refusal") && typeof value !== "object";
}
