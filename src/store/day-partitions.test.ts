import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { postgresPlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { openDatabase } from "./connection/database.ts";
import { migrate } from "./connection/migrate.ts";
import { partitionDays } from "./day-partitions.ts";
import { readRolledDays, replaceByRolled } from "./rolled-samples.ts";
import { readSampleHours, writeSampleHours } from "./samples.ts";

const DAY = 20_000;
const data = new Uint8Array([2]);

test("a day begins, and is rolled up, while a backup reads the tables", async (t) => {
  const place = await postgresPlace(t);
  if (place === null) return;
  // A statement that waits for the backup fails by its name.
  const onConnect = async (client: { query: (text: string) => Promise<unknown> }) => {
    await client.query("set lock_timeout = '5s'");
  };
  const database = openDatabase({ ...place, onConnect });
  closeAfter(t, () => database.close());
  await migrate(database, 0);
  const hour = DAY * 24;
  await database.db.transaction().execute(async (backup) => {
    // As pg_dump has them, for as long as it runs.
    await sql`lock table samples, rolled_samples in access share mode`.execute(backup);
    await writeSampleHours(database, [{ tokenId: 1n, hour, data }]);
    const range = { afterId: 0n, toId: 1n };
    await replaceByRolled(database, { day: DAY - 1, range, rows: [{ tokenId: 1n, data }] });
  });
  const hours = await readSampleHours(database.db, { tokenId: 1n, fromHour: hour, toHour: hour });
  assert.equal(hours.length, 1);
  const days = { tokenId: 1n, fromDay: DAY - 1, toDay: DAY };
  assert.equal((await readRolledDays(database.db, days)).length, 1);
  assert.deepEqual(await partitionDays(database.db, "samples"), [DAY]);
});
