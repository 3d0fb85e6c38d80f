import manifest from "../../package.json" with { type: "json" };
import { type Output, terminal } from "./output.ts";

type Run = (args: readonly string[], output: Output) => Promise<number>;

type Command = {
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<Run>;
  /** Text that `--help` adds; `words` are the command's other arguments. */
  readonly help?: (words: readonly string[]) => Promise<string>;
};

/** A command's module is loaded only when the command is called: help needs none of them. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: "",
    summary: "run the whole service, as npm start does",
    load: async () => (await import("./serve.ts")).serve,
  },
  measure: {
    usage: "MINT [--size SOL] [--profile retail|pro] [--json]",
    summary: "measure a token once",
    load: async () => (await import("./measure.ts")).measure,
  },
  prove: {
    usage: "MINT [--size SOL] [--profile retail|pro] [--json]",
    summary: "execute an exit by the deployed programs, and compare",
    load: async () => (await import("./prove.ts")).prove,
  },
  watch: {
    usage: "MINT [--json]",
    summary: "measure a token live, one line per change",
    load: async () => (await import("./watch.ts")).watch,
  },
  doctor: {
    usage: "[--json]",
    summary: "examine the configured node: what it serves, limits, cost",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  record: {
    usage: "MINT DIR | --follow DIR MINT... [--max-mb N]",
    summary: "save the accounts of an assessment, or every update",
    load: async () => async (args, output) =>
      args.includes("--follow")
        ? (await import("./record-follow.ts")).recordFollow(args, output)
        : (await import("./measure.ts")).recordAssessment(args, output),
  },
  verify: {
    usage: "FILE... [--json]",
    summary: "replay recorded executions and count the exact ones",
    load: async () => (await import("./verify.ts")).verify,
  },
  mcp: {
    usage: "[--url URL]",
    summary: "serve the MCP tools on standard input and output",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  admin: {
    usage: "user|key|mismatches|waitlist|alerts|funnel|export|backup|move-to ...",
    summary: "run an operator's task",
    load: async () => (await import("./admin.ts")).admin,
    help: async (words) => (await import("./admin.ts")).adminHelp(words),
  },
};

const HELP: readonly string[] = ["help", "--help", "-h"];
const VERSION: readonly string[] = ["version", "--version", "-v"];

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function run(args: readonly string[], output: Output = terminal): Promise<number> {
  const [first = "help", ...rest] = args;
  if (VERSION.includes(first)) {
    output.out(manifest.version);
    return 0;
  }
  const isHelp = HELP.includes(first);
  if (isHelp && rest.length === 0) {
    output.out(usage());
    return 0;
  }
  const [name = first] = isHelp ? rest : [first];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    output.err(`exitability: there is no command "${name}"\n\n${usage()}`);
    return 2;
  }
  if (isHelp || rest.some((word) => word === "--help" || word === "-h")) {
    output.out(await helpOf(name, command, rest));
    return 0;
  }
  // Loaded before the command runs: it may fail because no file can be opened any more.
  const { reportFailure } = await import("./report-failure.ts");
  try {
    return await (await command.load())(rest, output);
  } catch (error) {
    return reportFailure(error, name, output);
  }
}

async function helpOf(
  name: string,
  { usage, summary, help }: Command,
  words: readonly string[],
): Promise<string> {
  const { COMMAND_HELP, helpSections } = await import("./help.ts");
  const details = COMMAND_HELP[name];
  return [
    `usage: exitability ${`${name} ${usage}`.trim()}`,
    "",
    `  ${summary}`,
    ...(help === undefined ? [] : ["", await help(words)]),
    ...(details === undefined ? [] : helpSections(details)),
  ].join("\n");
}

function usage(): string {
  const lines = Object.entries(COMMANDS).map(([name, { usage, summary }]) => {
    const call = usage === "" ? summary : `${usage}: ${summary}`;
    return `  ${name.padEnd(9)}${call}`;
  });
  return [
    "usage: exitability COMMAND ...",
    "",
    ...lines,
    "",
    "Sizes are in SOL, slippage in percent. exitability COMMAND --help lists options with defaults,",
    "environment variables and exit codes (0 done, 1 failed, 2 wrong arguments).",
    "Without SOLANA_RPC_URL, the chain is the demo market: its prices are not real.",
  ].join("\n");
}
