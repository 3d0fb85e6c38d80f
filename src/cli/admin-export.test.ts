import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { sql } from "kysely";
import type { Database } from "#src/store/connection/database.ts";
import { writeSampleHours } from "#src/store/samples.ts";
import { upsertTokens } from "#src/store/tokens.ts";
import { SampleBlock } from "#src/track/history/sample-block.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { poolAddress } from "#test/support/pools/pools.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { readCall, runAdmin } from "./admin.ts";

const DATE = "2026-11-22";
const HOUR = Date.parse(`${DATE}T00:00:00Z`) / 3_600_000;

async function storeOneSample(database: Database): Promise<void> {
  const mint = poolAddress(1);
  const ids = await upsertTokens(database.db, [{ mint, name: null, symbol: null, nowMs: 0 }]);
  const block = new SampleBlock(HOUR);
  const figures = { c10Sol: 1, depthSol: 2, slippagesPct: [1, 2, 3, 4, 5, 6], mid: 1 };
  block.add({ atMs: HOUR * 3_600_000, ...figures, confidence: "high", basis: 1 });
  await writeSampleHours(database, [
    { tokenId: ids.get(mint) ?? 0n, hour: HOUR, data: block.data },
  ]);
}

async function exportTo(store: Database, file: string) {
  const output = { out: () => undefined, err: () => undefined };
  return await runAdmin(readCall(["export", "history", DATE, file]), { store, nowMs: 0, output });
}

test("of two exports to one file at the same time one is written, whole, and the other is refused", async (t) => {
  const database = await sqliteDatabase(t);
  await storeOneSample(database);
  const folder = temporaryDirectory(t);
  const file = join(folder, "day.parquet");
  const codes = await Promise.all([exportTo(database, file), exportTo(database, file)]);
  assert.deepEqual(codes.toSorted(), [0, 1]);
  assert.deepEqual(readdirSync(folder), ["day.parquet"]);
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
  assert.equal(rows.length, 1);
});

test("an export that fails leaves nothing in the folder", async (t) => {
  const database = await sqliteDatabase(t);
  await sql`drop table tokens`.execute(database.db);
  const folder = temporaryDirectory(t);
  await assert.rejects(exportTo(database, join(folder, "day.parquet")), /no such table/);
  assert.deepEqual(readdirSync(folder), []);
});
