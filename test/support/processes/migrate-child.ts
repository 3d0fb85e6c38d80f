import { once } from "node:events";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";

/**
 * A process that says "ready", waits for a word on its standard input so that several begin together,
 * migrates, and says what it ran as JSON. It opens an embedded database beside others.
 */
export type MigrateOrder = { readonly databaseUrl: string | null; readonly dataDir: string };

async function migrateOnSignal(order: MigrateOrder): Promise<void> {
  console.log("ready");
  await once(process.stdin, "data");
  process.stdin.pause();
  const database = openDatabase({ ...order, access: "visitor", connections: 1 });
  try {
    console.log(JSON.stringify(await migrate(database, 0)));
  } finally {
    await database.close();
  }
}

const [order] = process.argv.slice(2);
if (order !== undefined) await migrateOnSignal(JSON.parse(order) as MigrateOrder);
