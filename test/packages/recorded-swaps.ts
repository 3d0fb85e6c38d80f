import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** The executions of a file, each line with its accounts instead of the name of a set. */
export function inlineSwaps(path: string): string {
  const sets = new Map<string, unknown>();
  const swaps: string[] = [];
  for (const line of gunzipSync(readFileSync(path)).toString().trim().split("\n")) {
    const { set, ...rest } = JSON.parse(line) as { readonly set: string; accounts?: unknown };
    if (rest.accounts === undefined)
      swaps.push(JSON.stringify({ ...rest, accounts: sets.get(set) }));
    else sets.set(set, rest.accounts);
  }
  return swaps.join("\n");
}
