import { CONFIG_VARIABLES } from "#src/app/config-variables.ts";
import { SIZE_RANGE_TEXT } from "#src/measure/questions/requested-size.ts";
import { formatTable } from "./output.ts";

/** What `--help` prints below a command's usage. */
export type CommandHelp = {
  /** Arguments and options, with units and defaults. */
  readonly options: readonly (readonly [name: string, meaning: string])[];
  /** Environment variables that change what the command does. */
  readonly environment: readonly (readonly [name: string, meaning: string])[];
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
};

const MINT = ["MINT", "address of the token"] as const;
const CHAIN = [
  ["SOLANA_RPC_URL", "a Solana node; default: the demo market, whose prices are not real"],
  ["SOLANA_WS_URL", "its WebSocket address, where that differs"],
  ["ACCOUNTS_DIR", "a folder of recorded accounts instead"],
] as const;
const COLOURS = ["NO_COLOR", "if set, the terminal shows no colours"] as const;
const WRONG = ["2", "wrong arguments or environment variables"] as const;
const NO_TOKEN = ["1", "no such token, or the node does not answer"] as const;

export const COMMAND_HELP: Readonly<Record<string, CommandHelp>> = {
  serve: {
    options: [],
    environment: CONFIG_VARIABLES.map(([name, meaning, fallback]) => [
      name,
      `${meaning} [${fallback}]`,
    ]),
    exitCodes: [["0", "stopped by SIGINT or SIGTERM"], ["1", "could not start"], WRONG],
  },
  measure: {
    options: [
      MINT,
      ["--size SOL", `position to sell, worth at mid, ${SIZE_RANGE_TEXT}; default 1`],
      ["--profile NAME", "retail: the best single route (default); pro: split over all pools"],
      ["--json", "the service's answer, with --size snapped to a standard size"],
    ],
    environment: [...CHAIN, COLOURS],
    exitCodes: [["0", "measured"], NO_TOKEN, WRONG],
  },
  prove: {
    options: [
      MINT,
      ["--size SOL", `position to sell, worth at mid, ${SIZE_RANGE_TEXT}; default 1`],
      ["--profile NAME", "retail: the best single route (default); pro: split over all pools"],
      ["--json", "every sale with modelled and executed amounts"],
    ],
    environment: [
      ...CHAIN,
      ["DATA_DIR", "where program code is kept, in programs/; default ./data"],
    ],
    exitCodes: [
      ["0", "every sale was executed and paid what the model says"],
      ["1", "one paid something else or was not executed, no such token, or no answer of the node"],
      WRONG,
    ],
  },
  watch: {
    options: [MINT, ["--json", "one answer of the service per line"]],
    environment: [...CHAIN, COLOURS],
    exitCodes: [["0", "stopped by SIGINT or SIGTERM"], NO_TOKEN, WRONG],
  },
  doctor: {
    options: [["--json", "every call with its outcome and duration"]],
    environment: [
      ["SOLANA_RPC_URL", "the nodes to be examined, separated by commas; required"],
      ["SOLANA_WS_URL", "the first node's WebSocket address, where that differs"],
    ],
    exitCodes: [["0", "the service can work with each node"], ["1", "it can't"], WRONG],
  },
  record: {
    options: [
      MINT,
      ["DIR", "new folder for the accounts, to measure them again with ACCOUNTS_DIR"],
      ["--follow", "track the tokens and write every account update to DIR until stopped"],
      ["--max-mb N", "of compressed files; the oldest are deleted beyond; default 2000"],
    ],
    environment: CHAIN,
    exitCodes: [
      ["0", "recorded"],
      ["1", "no such token, no answer of the node, or no disk"],
      WRONG,
    ],
  },
  verify: {
    options: [
      ["FILE", "recorded executions, one JSON object per line, gzip allowed; may be a pipe"],
      ["--json", "one object per execution"],
    ],
    environment: [],
    exitCodes: [
      ["0", "all are exact"],
      ["1", "some are not, there is none, or a file is damaged"],
      WRONG,
    ],
  },
  mcp: {
    options: [["--url URL", "a running service; default PUBLIC_URL or http://127.0.0.1:8080"]],
    environment: [["EXITABILITY_API_KEY", "API key that is sent with each request; default none"]],
    exitCodes: [
      ["0", "standard input ended, and every request in it is answered"],
      ["1", "a message was larger than 10 MB"],
      WRONG,
    ],
  },
  admin: {
    options: [],
    environment: [
      ["DATA_DIR", "folder of the embedded database; default ./data"],
      ["DATABASE_URL", "Postgres instead; needs AUTH_SECRET"],
    ],
    exitCodes: [["0", "done"], ["1", "not found, or failed"], WRONG],
  },
};

/** The sections of a command's help; empty sections are left out. */
export function helpSections({ options, environment, exitCodes }: CommandHelp): readonly string[] {
  return [
    ...section("Options", options),
    ...section("Environment", environment),
    ...section("Exit codes", exitCodes),
  ];
}

function section(title: string, rows: CommandHelp["options"]): readonly string[] {
  if (rows.length === 0) return [];
  const table = formatTable(rows.map(([name, meaning]) => [`${name} `, meaning]));
  return ["", `${title}:`, table.replaceAll(/^/gm, "  ")];
}
