import { chunksOf } from "#src/platform/chunks.ts";

/** Rows in one statement: both databases bound the number of parameters. */
const ROWS_PER_STATEMENT = 500;

/** The items in groups that fit one statement. */
export function inChunks<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return chunksOf(items, ROWS_PER_STATEMENT);
}
