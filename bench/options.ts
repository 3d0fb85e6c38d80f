import { relative } from "node:path";
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";
import { formatTable } from "#src/cli/output.ts";

/** Options as in Node's parseArgs, with the meaning that `--help` prints. */
type Option = ParseArgsOptionDescriptor & { readonly help?: string };
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
 * an unknown option, a missing value or an unexpected argument prints the reason and the usage, and ends
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
  try {
    return parseArgs({ args, options, allowPositionals: operands !== "" });
  } catch (error) {
    if (!isWrongArgument(error)) throw error;
    const [reason] = error.message.split(". ");
    console.error(`${reason}\n\n${usageText(summary, all, operands)}`);
    process.exit(2);
  }
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
