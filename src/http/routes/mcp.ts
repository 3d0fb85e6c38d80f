import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AGENT_LANGUAGE, type Ask, createMcpServer } from "../mcp/mcp-server.ts";
import { bodyObject, invalid } from "../plugins/json-body.ts";
import { isSameOrigin } from "../plugins/origin.ts";
import type { ServiceFacts } from "./service.ts";

/** Who the caller is, and behind which proxies: passed on to the questions that a tool asks. */
const PASSED_ON = ["x-api-key", "authorization", "x-forwarded-for", "accept-language"];
const ACCEPT = "application/json, text/event-stream";

export type McpDeps = {
  readonly service: Pick<ServiceFacts, "version">;
  readonly publicUrl: string;
};

/** POST /mcp: the tools for agents by streamable HTTP, without sessions: each message stands alone. */
export function mcpRoute(app: FastifyInstance, { service, publicUrl }: McpDeps): void {
  app.post("/mcp", async (request, reply) => {
    if (request.headers.origin !== undefined && !isSameOrigin(request, publicUrl))
      throw invalid("forbidden_origin", "Another site's page may not use these tools.");
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    const server = createMcpServer(askerFor(app, request), service.version);
    await server.connect(transport);
    try {
      const message = bodyObject(request);
      const headers = { accept: ACCEPT, "content-type": "application/json" };
      const incoming = new Request(`${publicUrl}/mcp`, { method: "POST", headers });
      const response = await transport.handleRequest(incoming, { parsedBody: message });
      reply.code(response.status);
      const text = await response.text();
      // A notification has no answer.
      return text === ""
        ? await reply.send()
        : await reply.type("application/json; charset=utf-8").send(text);
    } finally {
      await server.close();
    }
  });
}

function askerFor(app: FastifyInstance, request: FastifyRequest): Ask {
  const headers: Record<string, string> = { "accept-language": AGENT_LANGUAGE };
  for (const name of PASSED_ON) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const { remoteAddress = "127.0.0.1" } = request.socket;
  return async (method, url, payload) => {
    const {
      statusCode,
      body,
      headers: answered,
    } = await app.inject({
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
