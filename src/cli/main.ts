import { ConfigError } from "#src/config.ts";
import { type Output, terminal, UsageError } from "./output.ts";

type Command = (args: readonly string[], output: Output) => Promise<number>;

/** Each command is loaded only when it is called: `verify` needs no database, `serve` no benchmark. */
const COMMANDS: Readonly<Record<string, { summary: string; load: () => Promise<Command> }>> = {
  serve: {
    summary: "the whole service: what npm start runs",
    load: async () => (await import("./serve.ts")).serve,
  },
  measure: {
    summary: "MINT [--size SOL] [--profile retail|pro] [--json]: one assessment",
    load: async () => (await import("./measure.ts")).measure,
  },
  watch: {
    summary: "MINT [--json]: the same, live: a line for each change",
    load: async () => (await import("./watch.ts")).watch,
  },
  record: {
    summary: "MINT DIR: write every account behind an assessment, as ACCOUNTS_DIR reads them",
    load: async () => (await import("./measure.ts")).recordAssessment,
  },
  verify: {
    summary: "FILE... [--json]: replay recorded executions, say how many are exact",
    load: async () => (await import("./verify.ts")).verify,
  },
  mcp: {
    summary: "[--url URL]: tools for agents (MCP) on standard input and output",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  admin: {
    summary: "user|key|funnel|waitlist ...: the operator's tasks",
    load: async () => (await import("./admin.ts")).admin,
  },
};

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function run(args: readonly string[], output: Output = terminal): Promise<number> {
  const [name = "help", ...rest] = args;
  if (name === "help" || name === "--help" || name === "-h") {
    output.out(usage());
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    output.err(`exitability: there is no command "${name}"\n\n${usage()}`);
    return 2;
  }
  try {
    return await (await command.load())(rest, output);
  } catch (error) {
    if (!isUsageError(error)) throw error;
    output.err(`exitability ${name}: ${error.message}`);
    return 2;
  }
}

function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError || error instanceof ConfigError) return true;
  return (
    error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
  );
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(9)}${summary}`,
  );
  return ["usage: exitability COMMAND ...", "", ...lines].join("\n");
}
