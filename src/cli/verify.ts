import { statSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readRecordedFile } from "#src/accuracy/recorded-file.ts";
import { replay } from "#src/accuracy/replay-recorded.ts";
import { formatTable, type Output, UsageError } from "./output.ts";

const VERIFY_USAGE = "exitability verify FILE... [--json]";

type VerifiedLine = {
  readonly line: number;
  readonly file: string;
  readonly venue: string | null;
  readonly expected: string | null;
  readonly modelled: string | null;
  readonly exact: boolean;
  readonly reason?: string;
  /** The version of the program that executed it, if recorded. */
  readonly deployedSlot?: string;
};

/** Maximum number of lines of a file that are printed because they are not executions. */
const UNREADABLE_SHOWN = 5;

type VenueCounts = { cases: number; exact: number; refusals: number };

/**
 * Replays recorded executions and prints, per venue, how many are exact; with `--json` one object per
 * case. Ends with 0 only if every case is exact.
 */
export async function verify(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new UsageError(`name at least one file: ${VERIFY_USAGE}`);
  for (const path of positionals) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true)
      throw new UsageError(`${path} is a folder; name its files: ${VERIFY_USAGE}`);
    if (found === undefined) throw new UsageError(`there is no file ${path}: ${VERIFY_USAGE}`);
  }
  const tallies = new Map<string, VenueCounts>();
  for (const path of positionals) {
    let unreadable = 0;
    for await (const row of rowsOf(path)) {
      if (row.venue === null) unreadable++;
      if (values.json) output.out(JSON.stringify(row));
      else if (!row.exact && (row.venue !== null || unreadable <= UNREADABLE_SHOWN))
        output.err(describe(row));
      count(tallies, row);
    }
    if (!values.json && unreadable > UNREADABLE_SHOWN)
      output.err(`${basename(path)}: ${unreadable} lines are not recorded executions`);
  }
  if (tallies.size === 0) output.err("no executions in these files");
  else if (!values.json) output.out(summary(tallies));
  const isAllExact = [...tallies.values()].every(({ cases, exact }) => cases === exact);
  return isAllExact && tallies.size > 0 ? 0 : 1;
}

async function* rowsOf(path: string): AsyncGenerator<VerifiedLine> {
  const file = basename(path);
  for await (const { line, content } of readRecordedFile(path)) {
    if (content.kind === "set") continue;
    if (content.kind === "unreadable") {
      const { reason } = content;
      yield { line, file, venue: null, expected: null, modelled: null, exact: false, reason };
      continue;
    }
    const { execution, deployedSlot } = content;
    const { amountOut, reason } = replay(execution);
    yield {
      line,
      file,
      venue: execution.venue,
      expected: decimal(execution.amountOut),
      modelled: decimal(amountOut),
      exact: amountOut === execution.amountOut,
      ...(reason === null ? {} : { reason }),
      ...(deployedSlot === null ? {} : { deployedSlot: String(deployedSlot) }),
    };
  }
}

function decimal(amount: bigint | null): string | null {
  return amount === null ? null : String(amount);
}

function count(tallies: Map<string, VenueCounts>, row: VerifiedLine): void {
  const name = row.venue ?? "unreadable";
  const tally = tallies.get(name) ?? { cases: 0, exact: 0, refusals: 0 };
  tally.cases++;
  if (row.exact) tally.exact++;
  if (row.venue !== null && row.expected === null) tally.refusals++;
  tallies.set(name, tally);
}

function describe(row: VerifiedLine): string {
  const place = `${row.file}:${row.line}`;
  if (row.venue === null) return `${place}  unreadable: ${row.reason}`;
  const modelled = row.modelled ?? `refused (${row.reason})`;
  const code = row.deployedSlot === undefined ? "" : ` (code of slot ${row.deployedSlot})`;
  return `${place}  ${row.venue}${code}: executed ${row.expected ?? "refused"}, modelled ${modelled}`;
}

function summary(tallies: ReadonlyMap<string, VenueCounts>): string {
  const rows = [...tallies].map(([venue, { cases, exact, refusals }]) => [
    venue,
    cases,
    refusals,
    exact,
    `${((100 * exact) / cases).toFixed(2)} %`,
  ]);
  return formatTable([["venue", "cases", "refusals", "exact", "share"], ...rows]);
}
