import {
  type ColumnSource,
  fileWriter,
  ParquetWriter,
  schemaFromColumnData,
} from "hyparquet-writer";

/** The columns of a table with their Parquet types; every column may hold null. */
export type Columns = Readonly<
  Record<string, "STRING" | "TIMESTAMP" | "FLOAT" | "INT64" | "INT32" | "BOOLEAN">
>;

/** The values of some rows by column, all of one length. */
export type Rows<Table extends Columns> = { readonly [Name in keyof Table]: unknown[] };

/** A Parquet file that is written a group of rows at a time. */
export class ParquetFile<const Table extends Columns> {
  readonly #writer: ParquetWriter;
  readonly #columns: Table;
  #rows = 0;

  constructor(path: string, columns: Table) {
    this.#columns = columns;
    const empty = Object.fromEntries(Object.keys(columns).map((name) => [name, []]));
    const columnData = this.#sources(empty as unknown as Rows<Table>);
    this.#writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaFromColumnData({ columnData }),
      createdBy: "exitability",
    });
  }

  async write(rows: Rows<Table>): Promise<void> {
    const columnData = this.#sources(rows);
    const count = columnData[0]?.data.length ?? 0;
    if (count === 0) return;
    await this.#writer.write({ columnData, rowGroupSize: count });
    this.#rows += count;
  }

  /** Writes the end of the file. @returns the number of rows */
  async finish(): Promise<number> {
    await this.#writer.finish();
    return this.#rows;
  }

  #sources(rows: Rows<Table>): ColumnSource[] {
    return Object.entries(this.#columns).map(([name, type]) => ({
      name,
      type,
      data: rows[name] ?? [],
    }));
  }
}
