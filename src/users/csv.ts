/**
 * Rows as CSV (RFC 4180). A cell that a spreadsheet would read as a formula is prefixed with an
 * apostrophe: user input must not run on the operator's machine.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(text: string): string {
  const safe = /^[\s]*[=+\-@]|^[\t\r\n|%]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
