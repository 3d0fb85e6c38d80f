import { fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";

type ColumnType = "STRING" | "TIMESTAMP" | "FLOAT" | "INT64" | "INT32" | "BOOLEAN";

/** The columns of a table with their Parquet types; every column may hold null. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** One row: a value for each column. */
export type Row<Table extends Columns> = { readonly [Name in keyof Table]: unknown };

/** The rows of the next group, by column. */
type Column = { readonly name: string; readonly type: ColumnType; data: unknown[] };

/** A Parquet file that is written a group of rows at a time. */
export class ParquetFile<const Table extends Columns> {
  readonly #writer: ParquetWriter;
  readonly #columns: readonly Column[];
  #rows = 0;

  constructor(path: string, columns: Table) {
    this.#columns = Object.entries(columns).map(([name, type]) => ({ name, type, data: [] }));
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaFromColumnData({ columnData: [...this.#columns] }),
      createdBy: "exitability",
    });
  }

  /** Adds a row to the next group. */
  add(row: Row<Table>): void {
    for (const { name, data } of this.#columns) data.push(row[name]);
  }

  /** Writes the rows that were added since the last group. */
  async writeGroup(): Promise<void> {
    const count = this.#columns[0]?.data.length ?? 0;
    if (count === 0) return;
    await this.#writer.write({ columnData: [...this.#columns], rowGroupSize: count });
    for (const column of this.#columns) column.data = [];
    this.#rows += count;
  }

  /** Writes the end of the file. @returns the number of rows */
  async finish(): Promise<number> {
    await this.#writer.finish();
    return this.#rows;
  }
}
