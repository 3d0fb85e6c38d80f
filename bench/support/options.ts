import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { formatTable } from "#src/cli/output.ts";

/** Options as in Node's parseArgs, with the meaning that `--help` prints, and the only or the least values taken. */
type Option = ParseArgsOptionDescriptor & {
  readonly help?: string;
  readonly choices?: readonly string[];
  readonly least?: number;
};
type Options = Readonly<Record<string, Option>>;
type Arguments<T extends Options> = {
  readonly values: ReturnType<typeof parseArgs<{ options: T }>>["values"];
  readonly positionals: readonly string[];
};

/** Meanings of the options that most commands have. */
const COMMON_HELP: Readonly<Record<string, string>> = {
  help: "this text",
  json: "print JSON",
  seed: "of all random choices",
};

/**
 * The options of a command that measures something. `--help` prints the usage and ends the process with 0;
 * an unknown option, a missing or wrong value, or an unexpected argument prints the reason and the usage, and ends
 * it with 2.
 *
 * @param summary   what the command does
 * @param operands  other arguments, as the usage names them; absent: there are none
 */
export function readOptions<const T extends Options>(
  summary: string,
  options: T,
  { args = process.argv.slice(2), operands = "" } = {},
): Arguments<T> {
  const all: Options = { ...options, help: { type: "boolean", short: "h" } };
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usageText(summary, all, operands));
    process.exit(0);
  }
  const refuseWithUsage = (reason: string) =>
    refuse(`${reason}\n\n${usageText(summary, all, operands)}`);
  try {
    const parsed = parseArgs({ args, options, allowPositionals: operands !== "" });
    const wrong = wrongValue(parsed.values, options);
    return wrong === null ? parsed : refuseWithUsage(wrong);
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    return refuseWithUsage(error.message.split(". ")[0] ?? "");
  }
}

/** Ends a command whose processes share a Postgres, if none is named. */
export function requirePostgres(): void {
  if ((process.env["DATABASE_URL"] ?? "") === "")
    refuse("Set DATABASE_URL to a Postgres server: the processes share a database on it.");
}

/** Ends a command whose `--against` names a folder without our sources. */
export function requireCheckout(against: string | undefined): void {
  if (against !== undefined && !existsSync(join(against, "src", "measure")))
    refuse(`--against takes another checkout of this repository, not ${against}.`);
}

/** Ends a command that cannot run as or where it was called; the reason says what to do. */
export function refuse(reason: string): never {
  console.error(reason);
  process.exit(2);
}

function wrongValue(values: Readonly<Record<string, unknown>>, options: Options): string | null {
  for (const [name, value] of Object.entries(values)) {
    const wanted = wantedInstead(value, options[name]);
    if (wanted !== null) return `Option '--${name}' takes ${wanted}, not '${value}'`;
  }
  return null;
}

/** What an option takes instead of a wrong value. With a number as its default it takes numbers only. */
function wantedInstead(value: unknown, option: Option | undefined): string | null {
  const { choices, default: fallback, least = 0 } = option ?? {};
  if (choices !== undefined && !choices.includes(String(value))) return choices.join(" or ");
  const from = least > 0 ? ` from ${least} on` : "";
  if (isNumber(fallback)) return isNumber(value, least) ? null : `a number${from}`;
  if (isNumberList(fallback))
    return isNumberList(value, least) ? null : `numbers${from} and commas`;
  return null;
}

function isNumberList(text: unknown, least = 0): boolean {
  return typeof text === "string" && text.split(",").every((part) => isNumber(part, least));
}

function isNumber(text: unknown, least = 0): boolean {
  if (typeof text !== "string" || text === "") return false;
  return Number(text) >= least && Number.isFinite(Number(text));
}

function isWrongArgument(error: unknown): error is Error {
  return (
    error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS")
  );
}

function usageText(summary: string, options: Options, operands: string): string {
  const path = relative(process.cwd(), process.argv[1] ?? "");
  const rows = Object.entries(options).map(([name, { type, default: fallback, help }]) => {
    const meaning = help ?? COMMON_HELP[name] ?? "";
    const parts = type === "boolean" ? [meaning] : [meaning, defaultText(fallback)];
    const written = type === "boolean" ? `--${name}` : `--${name} VALUE`;
    return [`${written} `, parts.filter((part) => part !== "").join("; ")];
  });
  return [
    `usage: node ${path} [OPTIONS] ${operands}`.trimEnd(),
    "",
    `  ${summary}`,
    "",
    "Options:",
    formatTable(rows).replaceAll(/^/gm, "  "),
  ].join("\n");
}

function defaultText(fallback: Option["default"]): string {
  return typeof fallback === "string" && fallback !== "" ? `default ${fallback}` : "";
}
