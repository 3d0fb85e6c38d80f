/** The parts of an OpenAPI 3.1 document that requests are made of. */
export type OpenapiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly name?: string }>>;
  };
};

export type OperationObject = {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, unknown>>;
        readonly content?: Readonly<Record<string, unknown>>;
      }
    >
  >;
};

export type ParameterObject = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly example?: string | number;
};

/** The keywords of JSON Schema that requests are described with. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
};

/** One operation of the document, with what is asked of a request for it. */
export type DocumentedOperation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: "anyone" | "caller" | "session";
  readonly parameters: readonly ParameterObject[];
  readonly body: JsonSchema | null;
  readonly isStream: boolean;
};

export function operationsOf(document: OpenapiDocument): readonly DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      access: accessOf(operation),
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content["application/json"].schema ?? null,
      isStream: "text/event-stream" in (operation.responses["200"]?.content ?? {}),
    })),
  );
}

function accessOf({ security }: OperationObject): DocumentedOperation["access"] {
  if (security.length === 0) return "anyone";
  return security.some((way) => Object.keys(way).length === 0) ? "caller" : "session";
}
