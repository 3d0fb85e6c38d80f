import type { WriteStream } from "node:tty";
import { styleText } from "node:util";

/** Where a command writes; tests pass their own. */
export type Output = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** How text is emphasised; absent: plain. */
  readonly paint?: Paint;
};

export type Tone = "strong" | "good" | "fair" | "bad" | "faint";
export type Paint = (text: string, tone: Tone) => string;

const STYLES: Readonly<Record<Tone, Parameters<typeof styleText>[0]>> = {
  strong: "bold",
  good: "green",
  fair: "yellow",
  bad: "red",
  faint: "dim",
};

export const plain: Paint = (text) => text;

/** Colours on a terminal that shows them, unless NO_COLOR is set. */
export function paintFor(stream: Pick<WriteStream, "isTTY" | "hasColors">): Paint {
  if (!stream.isTTY || !stream.hasColors()) return plain;
  return (text, tone) => styleText(STYLES[tone], text, { validateStream: false });
}

export const terminal: Output = {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  paint: paintFor(process.stdout),
};

const TERMINAL_COLUMNS = 80;

/** Wrong arguments; the message names the right ones. */
export class UsageError extends Error {}

/** Rows as columns of equal width, numbers to the right; the first row is the heading. */
export function formatTable(rows: readonly (readonly (string | number)[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, String(cell).length);
    }
  }
  const formatRow = (row: readonly (string | number)[]): string =>
    row
      .map((cell, column) => formatCell(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return rows.map(formatRow).join("\n");
}

/** The text in lines of at most 80 columns, broken between words; further lines are indented. */
export function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line.length + 1 + word.length > TERMINAL_COLUMNS) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join("\n");
}

function formatCell(cell: string | number, width: number): string {
  const isNumber = typeof cell === "number" || /^-?[\d.,]+ ?%?$/.test(cell);
  return isNumber ? String(cell).padStart(width) : cell.padEnd(width);
}
