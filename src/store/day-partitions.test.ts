import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { eachDatabase } from "#test/support/databases.ts";
import { partitionDays } from "./day-partitions.ts";
import { readRolledDays, replaceByRolled } from "./rolled-samples.ts";
import { readSampleHours, writeSampleHours } from "./samples.ts";

const DAY = 20_000;
const data = new Uint8Array([2]);

test("a day begins, and is rolled up, while a backup reads the tables", async (t) => {
  await eachDatabase(t, async (_t, database) => {
    if (database.dialect === "sqlite") return;
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
});
