import { sql } from "kysely";
import type { Database } from "./database.ts";
import type { MigrationContext } from "./dialect.ts";
import * as dailyUsage from "./migrations/0001-daily-usage.ts";
import * as users from "./migrations/0002-users.ts";
import * as signInRequests from "./migrations/0003-sign-in-requests.ts";
import * as apiKeys from "./migrations/0004-api-keys.ts";
import * as waitlistAndEvents from "./migrations/0005-waitlist-and-events.ts";
import * as leadership from "./migrations/0006-leadership.ts";
import * as tokensSamplesAlerts from "./migrations/0010-tokens-samples-alerts.ts";
import * as watchlist from "./migrations/0020-watchlist.ts";
import * as userAlerts from "./migrations/0021-user-alerts.ts";
import * as accuracy from "./migrations/0030-accuracy.ts";
import * as quotedExecuted from "./migrations/0031-quoted-executed.ts";
import * as programDeployments from "./migrations/0032-program-deployments.ts";
import * as judgedSwaps from "./migrations/0033-judged-swaps.ts";
import * as states from "./migrations/0040-states.ts";
import * as alertShare from "./migrations/0050-alert-share.ts";

export type Migration = {
  readonly name: string;
  readonly up: (context: MigrationContext) => Promise<void>;
  /** What an older version may miss afterwards, as its test words it; docs/decisions/0072 says when. */
  readonly takesAway?: readonly string[];
};

/**
 * Every migration in order. Numbers are set apart by group of tables; one that was merged is never
 * edited, and each must leave the previous version of the service working.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-daily-usage", ...dailyUsage },
  { name: "0002-users", ...users },
  { name: "0003-sign-in-requests", ...signInRequests },
  { name: "0004-api-keys", ...apiKeys },
  { name: "0005-waitlist-and-events", ...waitlistAndEvents },
  { name: "0006-leadership", ...leadership },
  { name: "0010-tokens-samples-alerts", ...tokensSamplesAlerts },
  { name: "0020-watchlist", ...watchlist },
  { name: "0021-user-alerts", ...userAlerts },
  { name: "0030-accuracy", ...accuracy },
  { name: "0031-quoted-executed", ...quotedExecuted },
  { name: "0032-program-deployments", ...programDeployments },
  { name: "0033-judged-swaps", ...judgedSwaps },
  { name: "0040-states", ...states },
  { name: "0050-alert-share", ...alertShare },
];

type MigrationTables = { schema_migrations: { name: string; applied_at_ms: bigint } };

/**
 * Brings the tables up to date, in one transaction: all of it or nothing. However many processes
 * start together, one works and the others wait for it. Migrations that this version does not know
 * are left alone: a newer version made them, and this one is being replaced.
 *
 * @returns the names of the migrations that this call ran
 */
export async function migrate(
  { db, dialect }: Database,
  nowMs: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<readonly string[]> {
  return db.transaction().execute(async (migrating) => {
    const transaction = migrating.withTables<MigrationTables>();
    if (dialect === "postgres") {
      // However long the one that works takes, the others wait for it.
      await sql`set local statement_timeout = 0`.execute(transaction);
      await sql`select pg_advisory_xact_lock(hashtext('exitability.migrate.' || current_schema()))`.execute(
        transaction,
      );
    }
    await transaction.schema
      .createTable("schema_migrations")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
      .execute();
    const rows = await transaction.selectFrom("schema_migrations").select("name").execute();
    const applied = new Set(rows.map((row) => row.name));
    const pending = migrations.filter((migration) => !applied.has(migration.name));
    for (const { name, up } of pending) {
      await up({ db: migrating, dialect });
      await transaction
        .insertInto("schema_migrations")
        .values({ name, applied_at_ms: BigInt(nowMs) })
        .execute();
    }
    return pending.map((migration) => migration.name);
  });
}
