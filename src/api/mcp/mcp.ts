import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import { AppError } from "#src/platform/app-error.ts";
import { isJsonObject } from "#src/platform/json-object.ts";
import { errorSchema } from "../error-bodies.ts";
import { preferredLanguage } from "../notice.ts";
import { defineOperation } from "../operation.ts";
import { BODY_ERRORS } from "../operation-parts.ts";
import { isSameOrigin } from "../plugins/origin.ts";
import { readAs } from "../values.ts";
import { AGENT_LANGUAGE, createMcpServer } from "./mcp-server.ts";
import type { Ask } from "./tool.ts";

/** Headers that name the caller and its proxies: passed on to the requests of a tool. */
const PASSED_ON = ["x-api-key", "authorization", "x-forwarded-for"];
const VERSION_HEADER = "mcp-protocol-version";
const ACCEPT = "application/json, text/event-stream";

const JsonRpc = Type.Object({ jsonrpc: Type.Literal("2.0") }, { additionalProperties: true });
const JsonRpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal("2.0"),
    id: Type.Optional(
      Type.Union([Type.String(), Type.Integer()], { description: "Left out: a notification" }),
    ),
    method: Type.String(),
    params: Type.Optional(Type.Object({}, { additionalProperties: true })),
  },
  { additionalProperties: false },
);

/** Streamable HTTP without sessions: each message is complete. */
export const mcp = defineOperation({
  method: "post",
  path: "/mcp",
  id: "mcp",
  tag: "streams",
  summary: "Tools for agents: Model Context Protocol, streamable HTTP",
  description:
    "measure_exit, compare_sizes, largest_exit, stressed_exit, holders_first, past_day, exit_history and watch_exits, as tools of MCP; without sessions. A tool costs what its requests cost, and they count for the caller that the headers name. At most 300 messages a minute from one address.",
  access: "caller",
  throttlePerMinute: 300,
  body: {
    // The SDK checks the rest and answers as JSON-RPC does.
    schema: readAs(
      JsonRpcMessage,
      (message) => (isJsonObject(message) ? message : null),
      "The body must be a JSON object.",
    ),
    example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  },
  responses: {
    200: {
      description: "A JSON-RPC answer",
      schema: JsonRpc,
      example: { jsonrpc: "2.0", id: 1, result: { tools: [] } },
    },
    202: {
      description: "A notification was accepted",
      schema: Type.Null(),
      example: null,
      contentType: null,
    },
  },
  errors: [...BODY_ERRORS, "forbidden_origin", "rate_limit_exceeded"],
  errorSchemas: { 400: Type.Union([JsonRpc, errorSchema(["invalid_body"])]) },
  async handler({ request, reply, body: message }, { service, publicUrl, inject, tools }) {
    if (request.headers.origin !== undefined && !isSameOrigin(request, publicUrl))
      throw new AppError("forbidden_origin", {
        publicMessage: "Pages of other sites may not use these tools.",
      });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const { version } = service;
    const server = createMcpServer(askWith(inject, request), { version, tools });
    await server.connect(transport);
    try {
      const headers = headersFor(request);
      const incoming = new Request(`${publicUrl}/mcp`, { method: "POST", headers });
      const response = await transport.handleRequest(incoming, { parsedBody: message });
      const text = await response.text();
      if (text === "") {
        // A notification has no answer.
        await reply.code(response.status).send();
        return {};
      }
      const json = { "content-type": "application/json; charset=utf-8" };
      return { status: response.status, headers: json, body: text };
    } finally {
      await server.close();
    }
  },
});

/** What the transport reads: the protocol's version, which it refuses if it does not know it. */
function headersFor({ headers }: FastifyRequest): Record<string, string> {
  const { [VERSION_HEADER]: version } = headers;
  return {
    accept: ACCEPT,
    "content-type": "application/json",
    ...(typeof version === "string" ? { [VERSION_HEADER]: version } : {}),
  };
}

function askWith(inject: FastifyInstance["inject"], request: FastifyRequest): Ask {
  // Clients of MCP send *, which prefers no language.
  const language = preferredLanguage(request.headers["accept-language"], AGENT_LANGUAGE);
  const headers: Record<string, string> = { "accept-language": language };
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const { socket } = request;
  const { remoteAddress = "127.0.0.1" } = socket;
  return async (method, url, payload) => {
    // Each request counts: a tool that asks repeatedly ends when its caller has left.
    if (socket.destroyed) throw new Error("the caller has left");
    const {
      statusCode,
      body,
      headers: answered,
    } = await inject({
      method,
      url,
      headers,
      remoteAddress,
      ...(payload === undefined ? {} : { payload }),
    });
    const retryAfter = answered["retry-after"];
    return {
      status: statusCode,
      text: body,
      retryAfter: retryAfter === undefined ? null : String(retryAfter),
    };
  };
}
