import { once } from "node:events";
import { parseArgs } from "node:util";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { readConfig } from "#src/config.ts";
import { AGENT_LANGUAGE, type Ask, createMcpServer } from "#src/http/mcp/mcp-server.ts";
import manifest from "../../package.json" with { type: "json" };
import { type Output, UsageError } from "./output.ts";

const TIMEOUT_MS = 30_000;
/** Of a question that was never answered; no HTTP status. */
const UNREACHABLE = 0;

/**
 * The tools for agents on standard input and output, answered by a running service: `--url`, or the
 * one that the environment configures. EXITABILITY_API_KEY is sent with each question.
 */
export async function mcp(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { url: { type: "string" } } });
  const url = values.url ?? readConfig(process.env).publicUrl;
  if (!URL.canParse(url)) throw new UsageError("--url must be where a service listens");
  const server = createMcpServer(
    askOver(url, process.env["EXITABILITY_API_KEY"]),
    manifest.version,
  );
  await server.connect(new StdioServerTransport());
  output.err(`exitability mcp: asking ${url}`);
  await once(process.stdin, "close");
  await server.close();
  return 0;
}

function askOver(url: string, apiKey: string | undefined): Ask {
  // Behind a path of a proxy, too.
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
