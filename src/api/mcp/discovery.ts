import type { PreparedTool } from "./tool.ts";

/** What documents about the MCP server need to know. */
type McpServerFacts = { readonly version: string; readonly publicUrl: string };

const DESCRIPTION =
  "What selling a Solana token now would pay, exact, from the bytes of every pool.";
const KEY_DESCRIPTION = "API key of the service; without one the limits are those of an address";
const PACKAGE = "exitability";

/**
 * The document that MCP registries accept (server.json), for the endpoint of this service and the npm
 * package that starts the tools locally.
 *
 * @see https://github.com/modelcontextprotocol/registry/tree/main/docs/reference/server-json
 */
export function serverJson({ version, publicUrl }: McpServerFacts) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    ...serverFields({ version, publicUrl }),
    packages: [
      {
        registryType: "npm",
        identifier: PACKAGE,
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [
          { type: "positional", value: "mcp" },
          { type: "named", name: "--url", value: publicUrl },
        ],
        environmentVariables: [
          {
            name: "EXITABILITY_API_KEY",
            description: KEY_DESCRIPTION,
            isRequired: false,
            isSecret: true,
          },
        ],
      },
    ],
  };
}

/**
 * The server card, which clients read before they connect.
 *
 * @see https://github.com/modelcontextprotocol/experimental-ext-server-card
 */
export function serverCard(facts: McpServerFacts) {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    ...serverFields(facts),
  };
}

function serverFields({ version, publicUrl }: McpServerFacts) {
  const headers = [
    { name: "x-api-key", description: KEY_DESCRIPTION, isRequired: false, isSecret: true },
  ];
  return {
    name: serverName(publicUrl),
    title: "Exitability",
    description: DESCRIPTION,
    version,
    websiteUrl: publicUrl,
    remotes: [{ type: "streamable-http", url: `${publicUrl}/mcp`, headers }],
  };
}

/** The host's labels in reverse order; an address without a domain is local. */
function serverName(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(hostname);
  return `${isName ? hostname.split(".").toReversed().join(".") : "local"}/exitability`;
}

/** What an agent reads first: llmstxt.org. */
export function llmsText({
  publicUrl,
  tools,
}: {
  readonly publicUrl: string;
  readonly tools: readonly Pick<PreparedTool, "name" | "title" | "description">[];
}): string {
  const link = (path: string, title: string, what: string) =>
    `- [${title}](${publicUrl}${path}): ${what}`;
  return [
    "# Exitability",
    "",
    "> Whether a Solana token can be sold now and what it would really pay, computed from the raw accounts of every pool it trades in, exact to the lamport. It measures only: it never trades, builds a transaction, recommends or predicts.",
    "",
    "Null means unknown or impossible, never zero: `state` and `aviso` give the reason. Slippage is in percent, fees included; sizes are in SOL. Five queries a day without a key; send a key as header `x-api-key`. After 429 wait for `Retry-After` seconds. Texts are in Spanish, or in English with `Accept-Language: en`.",
    "",
    "## API",
    "",
    link("/openapi.json", "OpenAPI 3.1", "every endpoint, error and webhook, with schemas"),
    link("/docs", "Reference", "the same as a page"),
    link("/api/examples", "Examples", "tokens to try on the demo market"),
    link("/api/status", "Status", "chain, slot and age of the data"),
    link("/api/accuracy", "Accuracy", "the model compared with swaps that were executed"),
    "",
    "## MCP",
    "",
    link("/mcp", "Endpoint", "streamable HTTP, without sessions; POST only"),
    link("/.well-known/mcp.json", "Server card", "name, version and endpoint"),
    link("/server.json", "server.json", "for MCP registries; names the npm package for stdio"),
    "",
    "## Tools",
    "",
    ...tools.map(({ name, title, description }) => `- ${name}: ${title}. ${description}`),
    "",
    "## Optional",
    "",
    link("/method", "Method", "how each figure is computed"),
    "",
  ].join("\n");
}
