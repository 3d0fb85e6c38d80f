import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "#src/api/operations.ts";
import { STATUS_OF_CODE } from "#src/api/plugins/errors.ts";
import type { PublicCode } from "#src/platform/app-error.ts";
import { ERROR_GUIDES } from "./error-guides.ts";

/**
 * Writes docs/errors: a page per error code, from the same tables that the service uses.
 *
 *   node tools/error-pages.ts
 */

const DIRECTORY = join(import.meta.dirname, "..", "docs", "errors");
/** Errors of every endpoint: a list of all endpoints would not help. */
const EVERYWHERE: readonly string[] = ["method_not_allowed", "server_error", "overloaded"];

/** Each page by its file name. */
export function errorPages(): ReadonlyMap<string, string> {
  const codes = Object.keys(ERROR_GUIDES).toSorted() as PublicCode[];
  return new Map([
    ["index.md", indexPage(codes)],
    ...codes.map((code) => [`${code}.md`, pageOf(code)] as const),
  ]);
}

function indexPage(codes: readonly PublicCode[]): string {
  const rows = codes.map((code) => {
    const { when } = ERROR_GUIDES[code];
    return `| [${code}](${code}.md) | ${STATUS_OF_CODE[code]} | ${when} |`;
  });
  return [
    "# Error codes",
    "",
    "Every error has the body `{ error, message }`: `error` is one of these codes and never changes its meaning; `message` is one sentence for people. Program against the code and the status. New codes can be added: treat an unknown one by its status.",
    "",
    "| code | status | when |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function pageOf(code: PublicCode): string {
  const { when, remedy } = ERROR_GUIDES[code];
  const status = STATUS_OF_CODE[code];
  const endpoints = OPERATIONS.filter(({ errors }) => errors.includes(code)).map(
    ({ method, path }) => `- ${method.toUpperCase()} \`${path}\``,
  );
  return [
    `# ${code}`,
    "",
    `HTTP status ${status}.`,
    "",
    "## When",
    "",
    when,
    "",
    "## What to do",
    "",
    remedy,
    "",
    "## Where",
    "",
    ...(EVERYWHERE.includes(code) || endpoints.length === 0 ? ["Every endpoint."] : endpoints),
    "",
  ].join("\n");
}

if (import.meta.main) {
  mkdirSync(DIRECTORY, { recursive: true });
  for (const [name, text] of errorPages()) writeFileSync(join(DIRECTORY, name), text);
}
