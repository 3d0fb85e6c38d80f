import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import pg from "pg";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { closeAfter, type Ending } from "../ending.ts";

type MigratedSchema = {
  readonly url: string;
  readonly name: string;
  readonly keeper: Keeper;
  readonly tables: unknown;
};

/** Migrated schemas of this process that no test uses now. */
const free: MigratedSchema[] = [];

/** A new schema of this Postgres, as a URL; dropped at the end of the test. Its commits do not wait for the disk. */
export async function ownSchema(ending: Ending, url: string): Promise<string> {
  const { name, schemaUrl } = await createSchema(url);
  closeAfter(ending, () => dropSchema(url, name));
  return schemaUrl;
}

/**
 * As `ownSchema`, migrated. A later test of this process gets the same schema, emptied, because migrating
 * takes much longer; a schema whose tables a test has changed is not used again. Tests of a process run one
 * after the other. The process drops its schemas before it ends.
 */
export async function migratedSchema(ending: Ending, url: string): Promise<string> {
  const schema = (await takeFree(url)) ?? (await createMigrated(url));
  closeAfter(ending, () => {
    free.push(schema);
  });
  return schema.url;
}

/** Emptied here, not when it is given back: whatever wrote for the last test has ended by now. */
async function takeFree(url: string): Promise<MigratedSchema | null> {
  const schema = free.pop();
  if (schema === undefined) return null;
  const { name, keeper, tables } = schema;
  await keeper.value(EMPTY);
  if ((await keeper.value(TABLES)) === tables) return schema;
  await keeper.end();
  await dropSchema(url, name);
  return null;
}

async function createMigrated(url: string): Promise<MigratedSchema> {
  const { name, schemaUrl } = await createSchema(url);
  process.once("beforeExit", () => void dropSchema(url, name));
  const database = openDatabase({ databaseUrl: schemaUrl, dataDir: "" });
  await migrate(database, 0);
  await database.close();
  const keeper = new Keeper(schemaUrl);
  return { url: schemaUrl, name, keeper, tables: await keeper.value(TABLES) };
}

/** A connection that stays open between tests, because a new one reads all tables' descriptions; it lets the process end. */
class Keeper {
  readonly #socket = new Socket();
  readonly #client: pg.Client;
  readonly #connected: Promise<unknown>;

  constructor(url: string) {
    this.#client = new pg.Client({ connectionString: url, stream: () => this.#socket });
    // A lost connection fails the next statement.
    this.#client.on("error", () => undefined);
    this.#connected = this.#client.connect();
  }

  /** The first column of the first row. */
  async value(statement: string): Promise<unknown> {
    this.#socket.ref();
    try {
      await this.#connected;
      const { rows } = await this.#client.query({ text: statement, rowMode: "array" });
      return rows[0]?.[0];
    } finally {
      this.#socket.unref();
    }
  }

  async end(): Promise<void> {
    this.#socket.ref();
    await this.#client.end();
  }
}

const OWN = "relnamespace = current_schema()::regnamespace";

/** Deletes the rows and the partitions by day, and starts the numbers at 1 again. */
const EMPTY = `do $$ declare one record; begin
  for one in select oid::regclass as name from pg_class where ${OWN} and relispartition and relkind = 'r' loop
    execute 'drop table ' || one.name;
  end loop;
  for one in select oid::regclass as name from pg_class
    where ${OWN} and relkind in ('r', 'p') and relname <> 'schema_migrations' loop
    execute 'delete from ' || one.name;
  end loop;
  perform setval(oid::regclass, 1, false) from pg_class where ${OWN} and relkind = 'S';
end $$`;

/** Every table, index and sequence with its identity and the numbers of its columns, checks and triggers, as one text. */
const TABLES = `select string_agg(concat_ws(' ', oid, relname, relnatts, relchecks, relhastriggers), ',' order by oid)
  from pg_class where ${OWN}`;

async function createSchema(url: string) {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await runOnce(url, `create schema ${name}`);
  const own = new URL(url);
  own.searchParams.set("options", `-c search_path=${name} -c synchronous_commit=off`);
  return { name, schemaUrl: own.href };
}

async function dropSchema(url: string, name: string): Promise<void> {
  await runOnce(url, `drop schema if exists ${name} cascade`);
}

export async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
