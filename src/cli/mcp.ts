import { once } from "node:events";
import { parseArgs } from "node:util";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { AGENT_LANGUAGE, createMcpServer } from "#src/api/mcp/mcp-server.ts";
import { type Ask, prepareTools } from "#src/api/mcp/tool.ts";
import { TOOLS } from "#src/api/mcp/tools.ts";
import { readConfig } from "#src/app/config.ts";
import manifest from "../../package.json" with { type: "json" };
import { type Output, UsageError } from "./output.ts";

const TIMEOUT_MS = 30_000;
/** The status of a request without an answer; no HTTP status. */
const UNREACHABLE = 0;

/**
 * Serves the MCP tools on standard input and output. A running service answers them: the one at
 * `--url`, or the configured one. EXITABILITY_API_KEY is sent with each request.
 */
export async function mcp(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { url: { type: "string" } } });
  const url = values.url ?? readConfig(process.env).publicUrl;
  if (!URL.canParse(url)) throw new UsageError("--url must be the URL of a running service");
  const server = createMcpServer(askOver(url, process.env["EXITABILITY_API_KEY"]), {
    version: manifest.version,
    tools: prepareTools(TOOLS),
  });
  await server.connect(new StdioServerTransport());
  output.err(`exitability mcp: asking ${url}`);
  await once(process.stdin, "close");
  await server.close();
  return 0;
}

function askOver(url: string, apiKey: string | undefined): Ask {
  // The service may be behind a path of a proxy.
  const base = url.replace(/\/+$/, "");
  return async (method, path, payload) => {
    const headers: Record<string, string> = {
      "accept-language": AGENT_LANGUAGE,
      "content-type": "application/json",
    };
    if (apiKey !== undefined) headers["x-api-key"] = apiKey;
    const body = payload === undefined ? null : JSON.stringify(payload);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(base + path, { method, headers, body, signal });
      const retryAfter = response.headers.get("retry-after");
      return { status: response.status, text: await response.text(), retryAfter };
    } catch {
      const message = `No service answers at ${url}: start one (npm start), or name another by exitability mcp --url URL.`;
      const text = JSON.stringify({ error: "unreachable", message });
      return { status: UNREACHABLE, text, retryAfter: null };
    }
  };
}
