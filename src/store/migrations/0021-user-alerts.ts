import { sql } from "kysely";
import { type MigrationContext, numberedKey, numberedKeyType } from "../dialect.ts";

/** The users' alerts, and the channels through which they go out. */
export async function up(context: MigrationContext): Promise<void> {
  await createUserAlerts(context);
  await createChannels(context);
  await createMessages(context);
}

async function createUserAlerts({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("user_alerts")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("dedupe", "text", (column) => column.notNull().unique())
    .addColumn("entry_id", "bigint", (column) => column.notNull())
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("mint", "text", (column) => column.notNull())
    .addColumn("token_name", "text")
    .addColumn("token_symbol", "text")
    .addColumn("size_lamports", "bigint", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("cause", "text", (column) => column.notNull())
    .addColumn("share", "double precision")
    .addColumn("slot", "bigint", (column) => column.notNull())
    .addColumn("slippage_before_pct", "double precision")
    .addColumn("slippage_after_pct", "double precision")
    .addColumn("c10_before_sol", "double precision")
    .addColumn("c10_after_sol", "double precision")
    .addColumn("depth_before_sol", "double precision")
    .addColumn("depth_after_sol", "double precision")
    .addColumn("base_units", "text")
    .addColumn("paid_lamports", "bigint")
    .addColumn("since_ms", "bigint", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("grade_due_ms", "bigint")
    .addColumn("graded_at_ms", "bigint")
    .addColumn("was_worse", "bigint")
    .addColumn("waited_cost_pct", "double precision")
    .execute();
  await db.schema
    .createIndex("user_alerts_by_user")
    .on("user_alerts")
    .columns(["user_id", "id"])
    .execute();
  await db.schema
    .createIndex("user_alerts_to_grade")
    .on("user_alerts")
    .column("grade_due_ms")
    .where("grade_due_ms", "is not", null)
    .execute();
}

async function createChannels({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("channels")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("language", "text", (column) => column.notNull())
    .addColumn("nonce", "text", (column) => column.notNull())
    .addColumn("enabled", "bigint", (column) => column.notNull())
    .addColumn("verified_at_ms", "bigint")
    .addColumn("code_hash", "text")
    .addColumn("code_until_ms", "bigint", (column) => column.notNull())
    .addColumn("code_tries", "bigint", (column) => column.notNull())
    .addColumn("tested_at_ms", "bigint", (column) => column.notNull())
    .addColumn("created_at_ms", "bigint", (column) => column.notNull())
    .addColumn("last_delivery_at_ms", "bigint")
    .addColumn("last_error", "text")
    .addColumn("failing_since_ms", "bigint")
    .addColumn("is_slow", "bigint", (column) => column.notNull())
    .addColumn("retry_at_ms", "bigint", (column) => column.notNull())
    .addColumn("lease_until_ms", "bigint", (column) => column.notNull())
    .addUniqueConstraint("channels_once", ["user_id", "kind", "target"])
    .execute();
}

async function createMessages({ db, dialect }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("messages")
    .addColumn("id", numberedKeyType(dialect), numberedKey(dialect))
    .addColumn("uid", "text", (column) => column.notNull().unique())
    .addColumn("channel_id", "bigint", (column) =>
      column.notNull().references("channels.id").onDelete("cascade"),
    )
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("due_ms", "bigint", (column) => column.notNull())
    .addColumn("attempts", "bigint", (column) => column.notNull())
    .addColumn("ended_at_ms", "bigint")
    .addColumn("last_error", "text")
    .execute();
  await db.schema
    .createIndex("messages_waiting")
    .on("messages")
    .column("due_ms")
    .where(sql.ref("ended_at_ms"), "is", null)
    .execute();
  await db.schema
    .createIndex("messages_by_channel")
    .on("messages")
    .columns(["channel_id", "due_ms"])
    .execute();
  await db.schema
    .createTable("message_alerts")
    .addColumn("message_id", "bigint", (column) =>
      column.notNull().references("messages.id").onDelete("cascade"),
    )
    .addColumn("alert_id", "bigint", (column) =>
      column.notNull().references("user_alerts.id").onDelete("cascade"),
    )
    .addPrimaryKeyConstraint("message_alerts_pk", ["message_id", "alert_id"])
    .execute();
  await db.schema
    .createIndex("message_alerts_by_alert")
    .on("message_alerts")
    .column("alert_id")
    .execute();
}
