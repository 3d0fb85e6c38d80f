/** Rows in one statement: both databases bound the number of parameters. */
const ROWS_PER_STATEMENT = 500;

/** The items in groups that fit one statement. */
export function inChunks<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const chunks: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += ROWS_PER_STATEMENT)
    chunks.push(items.slice(start, start + ROWS_PER_STATEMENT));
  return chunks;
}
