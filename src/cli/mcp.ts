import { once } from "node:events";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { AGENT_LANGUAGE, createMcpServer } from "#src/api/mcp/mcp-server.ts";
import { type Ask, prepareTools, type ToolAnswer } from "#src/api/mcp/tool.ts";
import { TOOLS } from "#src/api/mcp/tools.ts";
import { baseUrl, readConfig } from "#src/app/config.ts";
import manifest from "../../package.json" with { type: "json" };
import { AnsweringTransport } from "./answering-transport.ts";
import { type Output, UsageError } from "./output.ts";

const LINE_END = 0x0a;
/** Longer than the service takes for any answer. */
const TIMEOUT_MS = 80_000;
/** The status of a request without an answer; no HTTP status. */
const UNREACHABLE = 0;

/**
 * Serves the MCP tools on standard input and output, until the input ends and each request in it is
 * answered. A running service answers them: the one at `--url`, or the configured one.
 * EXITABILITY_API_KEY is sent with each request.
 */
export async function mcp(args: readonly string[], output: Output): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { url: { type: "string" } } });
  const url =
    values.url === undefined ? readConfig(process.env).publicUrl : baseUrl(values.url, "--url");
  const server = createMcpServer(askOver(url, apiKeyOf(process.env["EXITABILITY_API_KEY"])), {
    version: manifest.version,
    tools: prepareTools(TOOLS),
  });
  const input = Readable.from(wholeLines(process.stdin));
  const transport = new AnsweringTransport(new StdioServerTransport(input));
  const closed = new Promise<1>((resolve) => {
    server.onclose = () => resolve(1);
  });
  server.onerror = (error) => output.err(`exitability mcp: ${error.message}`);
  await server.connect(transport);
  output.err(`exitability mcp: asking ${url}`);
  // The transport closes itself when a message is too large.
  const code = await Promise.race([once(input, "end").then(() => 0 as const), closed]);
  await transport.answered();
  await server.close();
  process.stdin.destroy();
  return code;
}

/** The bytes of the input, with an end of line after the last request. */
async function* wholeLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last: number | undefined = LINE_END;
  for await (const chunk of input) {
    last = chunk.at(-1);
    yield chunk;
  }
  if (last !== LINE_END) yield Buffer.of(LINE_END);
}

/** Null: none is set. @throws UsageError for a text that no header can have; it is not printed */
function apiKeyOf(text = ""): string | null {
  const apiKey = text.trim();
  if (apiKey === "") return null;
  if (/^[\x21-\x7e]+$/.test(apiKey)) return apiKey;
  throw new UsageError(
    "EXITABILITY_API_KEY is malformed: a key has only letters, digits and _, without spaces or line breaks; copy it again, or unset it",
  );
}

/** Exported for its test. @param timeoutMs of one request, until its last byte */
export function askOver(url: string, apiKey: string | null, timeoutMs = TIMEOUT_MS): Ask {
  return async (method, path, payload) => {
    const headers: Record<string, string> = {
      "accept-language": AGENT_LANGUAGE,
      "content-type": "application/json",
    };
    if (apiKey !== null) headers["x-api-key"] = apiKey;
    const body = payload === undefined ? null : JSON.stringify(payload);
    const signal = AbortSignal.timeout(timeoutMs);
    // The key is for this service only.
    const redirect = "manual";
    try {
      const response = await fetch(url + path, { method, headers, body, redirect, signal });
      const text = await response.text();
      if (!isJson(response)) return strangeAnswer(url, response.status);
      const retryAfter = response.headers.get("retry-after");
      return { status: response.status, text, retryAfter };
    } catch {
      return signal.aborted ? lateAnswer(url, timeoutMs) : noAnswer(url);
    }
  };
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") === true;
}

/** The page of a proxy, or of another site. */
function strangeAnswer(url: string, status: number): ToolAnswer {
  const message = `What answers at ${url} is not an Exitability service, or it is behind a proxy that fails (HTTP ${status}): check --url.`;
  return failed("bad_answer", message);
}

function lateAnswer(url: string, timeoutMs: number): ToolAnswer {
  const message = `The service at ${url} did not answer within ${timeoutMs / 1_000} s; nothing is known now, and asking again may help.`;
  return failed("timeout", message);
}

function noAnswer(url: string): ToolAnswer {
  const message = `No service answers at ${url}: start one (npm start), or name another by exitability mcp --url URL.`;
  return failed("unreachable", message);
}

function failed(error: string, message: string): ToolAnswer {
  return { status: UNREACHABLE, text: JSON.stringify({ error, message }), retryAfter: null };
}
