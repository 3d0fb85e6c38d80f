import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { isJsonObject } from "#src/platform/json-object.ts";
import type { Ask, PreparedTool, ToolAnswer } from "./tool.ts";
import { PROMISE } from "./tools.ts";

/** The language of answers to agents that name none. */
export const AGENT_LANGUAGE = "en";
/** Nothing is changed but the caller's count of queries, so repeating a call is safe. */
const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};

/**
 * Takes any call, with null for no arguments as some agents send it. The SDK then checks the call and answers a
 * malformed one as invalid; what this schema refused would be an internal error.
 */
const ToolCallSchema = z.object({
  method: z.literal("tools/call"),
  params: z
    .looseObject({
      name: z.unknown().optional(),
      arguments: z
        .unknown()
        .transform((given) => given ?? undefined)
        .optional(),
    })
    .prefault({}),
});

/** An MCP server that answers tool calls by asking the API. */
export function createMcpServer(
  ask: Ask,
  { version, tools }: { readonly version: string; readonly tools: readonly PreparedTool[] },
): Server {
  const server = new Server(
    { name: "exitability", version },
    { capabilities: { tools: {} }, instructions: PROMISE },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  server.setRequestHandler(ToolCallSchema, async ({ params }, { signal }) => {
    const { name: asked, arguments: given } = params;
    const tool = tools.find(({ name }) => name === asked);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${asked}.`);
    }
    const input = isJsonObject(given) ? { ...given } : {};
    const refusal = tool.refusalOf(input);
    if (refusal !== null) throw new McpError(ErrorCode.InvalidParams, `${tool.name}: ${refusal}.`);
    return resultOf(await tool.run(input, ask, signal));
  });
  return server;
}

function listed({ name, title, description, inputSchema, outputSchema }: PreparedTool) {
  const annotations = { title, ...READ_ONLY };
  const fullDescription = `${description} ${PROMISE}`;
  return { name, title, description: fullDescription, inputSchema, outputSchema, annotations };
}

function resultOf({ status, text, retryAfter }: ToolAnswer): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text }];
  const advice = adviceOn(status, retryAfter);
  if (advice !== null) content.push({ type: "text", text: advice });
  if (status !== 200) return { content, isError: true };
  return { content, structuredContent: JSON.parse(text), isError: false };
}

/** What an agent can do about a refusal, beside what its message says. */
function adviceOn(status: number, retryAfter: string | null): string | null {
  const key = "an API key (EXITABILITY_API_KEY, or the header x-api-key over HTTP)";
  const wait = retryAfter === null ? "later" : `in ${retryAfter} s`;
  switch (status) {
    case 401:
      return `Asking again does not help: the operator of this agent has to set ${key} that works, or none.`;
    case 429:
      return `This is a limit, not a fact about the token. Ask again ${wait}; the operator of this agent can set ${key} of an account with more.`;
    case 503:
      return `This is not a fact about the token: nothing is known now. Ask again ${wait}.`;
    default:
      return null;
  }
}
