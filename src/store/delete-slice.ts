import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Schema } from "./schema.ts";

type Slice = {
  /** The table's primary key. */
  readonly key: readonly string[];
  readonly where: RawBuilder<boolean>;
  readonly limit: number;
};

/**
 * Deletes at most `limit` of the rows, so that a long deletion leaves the database to others in between.
 *
 * @returns whether there may be more
 */
export async function deleteSlice(
  db: Kysely<Schema>,
  table: "samples" | "rolled_samples" | "stored_answers",
  { key, where, limit }: Slice,
): Promise<boolean> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const slice = sql`select ${columns} from ${sql.table(table)} where ${where} limit ${limit}`;
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where(sql<boolean>`(${columns}) in (${slice})`)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) === limit;
}
