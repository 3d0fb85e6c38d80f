/** Where a command writes; tests pass their own. */
export type Output = {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

export const terminal: Output = {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
};

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

function formatCell(cell: string | number, width: number): string {
  const isNumber = typeof cell === "number" || /^-?[\d.,]+ ?%?$/.test(cell);
  return isNumber ? String(cell).padStart(width) : cell.padEnd(width);
}
