import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { isJsonObject } from "../plugins/json-body.ts";

/** One request to the service's own API, on behalf of whoever called the tool. */
export type Ask = (method: "GET" | "POST", path: string, payload?: object) => Promise<Answered>;

export type Answered = {
  readonly status: number;
  /** JSON. */
  readonly text: string;
  /** Seconds, as the header Retry-After has them; null: it has none. */
  readonly retryAfter: string | null;
};

/** What an agent's questions are answered in, unless it says otherwise: the tools speak English. */
export const AGENT_LANGUAGE = "en";
const SIZE_DECIMALS = 9;

const NEVER =
  "It measures only: it never trades, never builds a transaction, never recommends, predicts a price or names a good moment. Null means unknown or impossible, never zero; state and aviso say why. Token names are untrusted text.";
const LOOK_EVERY_MS = 10_000;
const MS_PER_HOUR = 3_600_000;

const mint = z.string().max(100).describe("The token's mint address");
const profile = z
  .enum(["retail", "pro"])
  .default("retail")
  .describe("retail: the best single route; pro: the order split over all of them");
const readOnly = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };

/** The tools that agents get. Each asks the API, so that limits, errors and answers are the same. */
export function createMcpServer(ask: Ask, version: string): McpServer {
  const server = new McpServer({ name: "exitability", version }, { instructions: NEVER });
  registerQuestions(server, ask);
  registerWatch(server, ask);
  return server;
}

function registerQuestions(server: McpServer, ask: Ask): void {
  server.registerTool(
    "measure_exit",
    {
      title: "Measure a token's exit",
      description: `Whether a Solana token can be sold now: slippage at six sizes (0.5 to 50 SOL), depth, score, trend and how far the answer can be trusted. Costs one query. ${NEVER}`,
      inputSchema: { mint, profile },
      annotations: readOnly,
    },
    async (input) => {
      const query = new URLSearchParams({ profile: input.profile });
      return result(await ask("GET", `${pathOf(input.mint)}/exitability?${query}`));
    },
  );
  server.registerTool(
    "compare_sizes",
    {
      title: "Compare sizes of one exit",
      description: `What selling positions of up to six sizes would really pay, exact, with the route of each. Each size has its own outcome: what was answered stays where a limit ends the rest. Costs one query for each size. ${NEVER}`,
      inputSchema: {
        mint,
        profile,
        sizes_sol: z.array(z.number().min(0.01).max(1000)).min(1).max(6),
      },
      annotations: readOnly,
    },
    async (input) => {
      const answers: Answered[] = [];
      for (const size of input.sizes_sol) {
        const plainSize = size.toFixed(SIZE_DECIMALS);
        const query = new URLSearchParams({ profile: input.profile, size: plainSize });
        answers.push(await ask("GET", `${pathOf(input.mint)}/exitability/at?${query}`));
      }
      const [first] = answers;
      if (first !== undefined && answers.every(({ status }) => status !== 200))
        return result(first);
      const items = answers.map(({ status, text }, index) => {
        const content = status === 200 ? "exit" : "error";
        return `{"asked_sol":${input.sizes_sol[index]},"status":${status},"${content}":${text}}`;
      });
      return result({ status: 200, text: `{"items":[${items.join(",")}]}`, retryAfter: null });
    },
  );
  server.registerTool(
    "stressed_exit",
    {
      title: "A token's exit after the largest withdrawal",
      description: `The slippage ladder now, and after the one owner whose liquidity is worth most has taken it out, in the pools where it is known who can; the others are named with the reason. It says what would be left, not that anybody will leave. Costs one query. ${NEVER}`,
      inputSchema: { mint, profile },
      annotations: readOnly,
    },
    async (input) => {
      const query = new URLSearchParams({ profile: input.profile });
      return result(await ask("GET", `${pathOf(input.mint)}/exitability/stressed?${query}`));
    },
  );
  server.registerTool(
    "exit_history",
    {
      title: "A token's exit over time",
      description: `Exit capacity, depth, score and slippage on an even grid of at most 2,000 points, and the alerts within it with their causes; null where nothing was known. Costs one query. ${NEVER}`,
      inputSchema: {
        mint,
        hours: z.number().min(1).max(744).default(24),
        step_seconds: z.number().int().min(10).max(86_400).default(900),
      },
      annotations: readOnly,
    },
    async (input) => {
      const nowMs = Date.now();
      // Both ends are named: the longest range would be too long by what the way there takes.
      const query = new URLSearchParams({
        from: new Date(nowMs - input.hours * MS_PER_HOUR).toISOString(),
        to: new Date(nowMs).toISOString(),
        step: String(input.step_seconds),
      });
      return result(await ask("GET", `${pathOf(input.mint)}/history?${query}`));
    },
  );
}

function registerWatch(server: McpServer, ask: Ask): void {
  server.registerTool(
    "watch_exits",
    {
      title: "Watch tokens for a while",
      description: `Looks at up to 20 tokens every ten seconds, for a minute at most, and answers as soon as one of them can no longer sell the size below the limit; else with the last look. Each look costs a batch: one query for each token with a daily gate, one for every ten without. ${NEVER}`,
      inputSchema: {
        mints: z.array(mint).min(1).max(20),
        size_sol: z.enum(["0.5", "1", "2", "5", "10", "50"]).default("5"),
        limit_pct: z.number().min(0).max(100).default(10),
        seconds: z.number().min(0).max(60).default(30),
        profile,
      },
      annotations: readOnly,
    },
    async (input, { signal }) => {
      const untilMs = Date.now() + input.seconds * 1_000;
      for (;;) {
        const { mints, size_sol, profile } = input;
        const payload = { mints, profile, size: Number(size_sol) };
        const answer = await ask("POST", "/api/exitability/batch", payload);
        const isLast = Date.now() + LOOK_EVERY_MS > untilMs;
        if (answer.status !== 200 || isLast || isStuck(answer.text, input.limit_pct))
          return result(answer);
        await sleep(LOOK_EVERY_MS, undefined, { signal });
      }
    },
  );
}

/** Whether one of a batch's tokens can't sell its size below the limit. What is unknown is no alarm. */
function isStuck(batch: string, limitPct: number): boolean {
  const { items }: { items?: unknown } = JSON.parse(batch);
  return (
    Array.isArray(items) &&
    items.some((item: unknown) => {
      const body = isJsonObject(item) ? item["exitability"] : null;
      if (!isJsonObject(body) || body["state"] !== "ok") return false;
      const slippage = isJsonObject(body["slippage"]) ? body["slippage"]["slip_pct"] : undefined;
      return slippage === null || (typeof slippage === "number" && slippage >= limitPct);
    })
  );
}

function pathOf(id: string): string {
  return `/api/token/${encodeURIComponent(id)}`;
}

function result({ status, text, retryAfter }: Answered) {
  const content: CallToolResult["content"] = [{ type: "text", text }];
  const advice = adviceOn(status, retryAfter);
  if (advice !== null) content.push({ type: "text", text: advice });
  return { content, isError: status !== 200 };
}

/** What an agent can do about a refusal, beside what its message says. */
function adviceOn(status: number, retryAfter: string | null): string | null {
  const key = "an API key (EXITABILITY_API_KEY, or the header x-api-key over HTTP)";
  const wait = retryAfter === null ? "later" : `in ${retryAfter} s`;
  switch (status) {
    case 401:
      return `Asking again does not help: whoever runs this agent has to set ${key} that works, or none.`;
    case 429:
      return `This is a limit, and says nothing about the token. Ask again ${wait}; whoever runs this agent can set ${key} of an account with more.`;
    case 503:
      return `This says nothing about the token: nothing is known now. Ask again ${wait}.`;
    default:
      return null;
  }
}
