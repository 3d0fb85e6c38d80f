import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("sign_in_requests")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("email", "text", (column) => column.notNull())
    .addColumn("requested_at_ms", "bigint", (column) => column.notNull())
    .addColumn("run_at_ms", "bigint", (column) => column.notNull())
    .addColumn("attempts", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("sign_in_requests_due")
    .on("sign_in_requests")
    .column("run_at_ms")
    .execute();
  let codes = db.schema
    .createTable("codes_sent")
    .addColumn("email", "text", (column) => column.notNull().primaryKey());
  for (const column of ["last_ms", "second_ms", "third_ms", "fourth_ms", "fifth_ms"])
    codes = codes.addColumn(column, "bigint", (builder) => builder.notNull());
  await codes.execute();
  await db.schema.createIndex("codes_sent_by_time").on("codes_sent").column("last_ms").execute();
}
