import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { proseOf } from "./prose.ts";

/**
 * Finds words of the old literary style (tools/plain-words.json) in comments, strings, test names and
 * documents. Prints `file:line: "word": use ...` and ends with 1 if it found any.
 *
 *   node tools/plain-words.ts [FILE...]     by default every file of the repository
 *
 * A comment `plain-words-allow: WORD reason` on the same line or the line before permits WORD there.
 */

type Rule = { readonly pattern: string; readonly instead: string };

const FOLDERS = /^(?:src|demo|bench|test|tools|web|docs|clients|examples|deploy|\.ci|bin)\//;
const DOCUMENTS = /^(?:README|CONTRIBUTING)\.md$/;
const KINDS = /\.(?:ts|tsx|mjs|md|yml|conf|env)$|^\.ci\//;
/** Test data and generated files. The contract's example texts are checked where they are written. */
const SKIPPED = /\/vectors\/|^clients\/typescript\/src\/openapi\.ts$/;

/** A space in a pattern also matches a line break inside a comment. */
const SPACE = "\\s+(?:(?:\\*|//|#)\\s+)?";

const rules = (
  JSON.parse(readFileSync(new URL("plain-words.json", import.meta.url), "utf8")) as readonly Rule[]
).map(({ pattern, instead }) => ({
  expression: new RegExp(`\\b(?:${pattern.replaceAll(" ", SPACE)})\\b`, "gi"),
  instead,
}));

const given = process.argv.slice(2);
const files = given.length > 0 ? given : trackedFiles();
const found = files.flatMap(findingsOf);
for (const line of found) console.log(line);
if (found.length > 0) {
  console.log(`${found.length} words to replace (CONTRIBUTING.md, Style).`);
  process.exitCode = 1;
}

function trackedFiles(): readonly string[] {
  const listed = ["ls-files", "--cached", "--others", "--exclude-standard"];
  return execFileSync("git", listed, { encoding: "utf8" })
    .split("\n")
    .filter((file) => FOLDERS.test(file) || DOCUMENTS.test(file))
    .filter((file) => KINDS.test(file) && !SKIPPED.test(file));
}

function findingsOf(file: string): readonly string[] {
  const text = readIfPresent(file);
  if (text === null) return [];
  const lines = text.split("\n");
  return proseOf(file, text).flatMap(({ start, prose }) =>
    rules.flatMap(({ expression, instead }) =>
      [...prose.matchAll(expression)].flatMap((match) => {
        const line = lineAt(text, start + match.index);
        const word = match[0].replaceAll(/\s+(?:(?:\*|\/\/|#)\s+)?/g, " ");
        if (isAllowed(lines, line, word)) return [];
        return [`${file}:${line}: "${word}": use ${instead}`];
      }),
    ),
  );
}

/** Null for a file that was deleted but is still in the index. */
function readIfPresent(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function isAllowed(lines: readonly string[], line: number, word: string): boolean {
  return [lines[line - 1], lines[line - 2]].some((candidate) => {
    const allowed = /plain-words-allow: (.*)/.exec(candidate ?? "")?.[1];
    return allowed?.toLowerCase().startsWith(`${word.toLowerCase()} `) === true;
  });
}
