import { libraryBooleanType, libraryMomentType, type MigrationContext } from "../dialect.ts";

/** The four tables of the sign-in library, and ours that hang on its users. */
export async function up(context: MigrationContext): Promise<void> {
  await createUsers(context);
  await createSessions(context);
  await createLibraryAccounts(context);
  await createSignInCodes(context);
  await createForeignIdentities(context);
  await createAccessChanges(context);
}

async function createUsers({ db, dialect }: MigrationContext): Promise<void> {
  const moment = libraryMomentType(dialect);
  await db.schema
    .createTable("users")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("name", "text", (column) => column.notNull().defaultTo(""))
    .addColumn("email", "text", (column) => column.unique())
    .addColumn("email_verified", libraryBooleanType(dialect), (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("created_at", moment, (column) => column.notNull())
    .addColumn("updated_at", moment, (column) => column.notNull())
    .addColumn("tier", "text", (column) => column.notNull().defaultTo("free"))
    .addColumn("disabled_at_ms", "bigint")
    .execute();
}

async function createSessions({ db, dialect }: MigrationContext): Promise<void> {
  const moment = libraryMomentType(dialect);
  await db.schema
    .createTable("sessions")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("token", "text", (column) => column.notNull().unique())
    .addColumn("expires_at", moment, (column) => column.notNull())
    .addColumn("created_at", moment, (column) => column.notNull())
    .addColumn("updated_at", moment, (column) => column.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .execute();
  await db.schema.createIndex("sessions_by_user").on("sessions").column("user_id").execute();
}

/** Required by the library, and empty: nobody signs in with a password or through a social account. */
async function createLibraryAccounts({ db, dialect }: MigrationContext): Promise<void> {
  const moment = libraryMomentType(dialect);
  await db.schema
    .createTable("library_accounts")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("provider_id", "text", (column) => column.notNull())
    .addColumn("access_token", "text")
    .addColumn("refresh_token", "text")
    .addColumn("id_token", "text")
    .addColumn("access_token_expires_at", moment)
    .addColumn("refresh_token_expires_at", moment)
    .addColumn("scope", "text")
    .addColumn("password", "text")
    .addColumn("created_at", moment, (column) => column.notNull())
    .addColumn("updated_at", moment, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("library_accounts_by_user")
    .on("library_accounts")
    .column("user_id")
    .execute();
}

async function createSignInCodes({ db, dialect }: MigrationContext): Promise<void> {
  const moment = libraryMomentType(dialect);
  await db.schema
    .createTable("sign_in_codes")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("expires_at", moment, (column) => column.notNull())
    .addColumn("created_at", moment, (column) => column.notNull())
    .addColumn("updated_at", moment, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("sign_in_codes_by_identifier")
    .on("sign_in_codes")
    .column("identifier")
    .execute();
}

async function createForeignIdentities({ db }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("foreign_identities")
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) =>
      column.notNull().references("users.id").onDelete("cascade"),
    )
    .addPrimaryKeyConstraint("foreign_identities_pk", ["issuer", "subject"])
    .execute();
  await db.schema
    .createIndex("foreign_identities_by_user")
    .on("foreign_identities")
    .column("user_id")
    .execute();
}

async function createAccessChanges({ db }: MigrationContext): Promise<void> {
  await db.schema
    .createTable("access_changes")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("user_id", "text", (column) => column.notNull())
    .addColumn("at_ms", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("access_changes_by_time")
    .on("access_changes")
    .column("at_ms")
    .execute();
}
