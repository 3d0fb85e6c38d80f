import { sql } from "kysely";
import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

export async function up({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("tokens")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("mint", "text", (column) => column.notNull().unique())
    .addColumn("name", "text")
    .addColumn("symbol", "text")
    .addColumn("first_seen_ms", "bigint", (column) => column.notNull())
    .addColumn("snapshot", "text")
    .addColumn("snapshot_at_ms", "bigint")
    .execute();
  await createSamples({ db, dialect });
  await db.schema
    .createTable("alerts")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("token_id", "bigint", (column) => column.notNull())
    .addColumn("detector", "text", (column) => column.notNull())
    .addColumn("cause", "text", (column) => column.notNull())
    .addColumn("slot", "bigint", (column) => column.notNull())
    .addColumn("started_at_ms", "bigint", (column) => column.notNull())
    .addColumn("ended_at_ms", "bigint")
    .addColumn("c10_before", "double precision", (column) => column.notNull())
    .addColumn("c10_after", "double precision", (column) => column.notNull())
    .addColumn("depth_before", "double precision")
    .addColumn("depth_after", "double precision")
    .execute();
  await db.schema
    .createIndex("alerts_by_token_and_time")
    .on("alerts")
    .columns(["token_id", "started_at_ms"])
    .execute();
}

/** One row an hour: a day of samples is 24 rows, and old days go as whole partitions on Postgres. */
async function createSamples({ db, dialect }: MigrationContext): Promise<void> {
  if (dialect === "sqlite") {
    await sql`create table samples (token_id bigint not null, day bigint not null,
      hour bigint not null, data blob not null, primary key (token_id, day, hour))`.execute(db);
    await sql`create index samples_by_day on samples (day)`.execute(db);
    return;
  }
  await sql`create table samples (token_id bigint not null, day bigint not null,
    hour bigint not null, data bytea not null, primary key (token_id, day, hour))
    partition by range (day)`.execute(db);
}
