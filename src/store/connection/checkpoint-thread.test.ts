import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { sqlitePlace } from "#test/support/databases/databases.ts";
import { eventually } from "#test/support/eventually.ts";
import { warningsTo } from "#test/support/failure-loggers.ts";
import { startCheckpoints } from "./checkpoint-thread.ts";

const BYTES = 2_000_000;

test("the thread copies the log into the database, and commits do not", async (t) => {
  const file = join(sqlitePlace(t).dataDir, "checkpoints.db");
  const connection = new Sqlite(file);
  connection.pragma("journal_mode = WAL");
  connection.exec("create table pages (data blob)");
  const checkpoints = startCheckpoints(connection, { file, everyMs: 20, log: null });
  assert.equal(connection.pragma("wal_autocheckpoint", { simple: true }), 50_000);
  connection.prepare("insert into pages values (zeroblob(?))").run(BYTES);
  await eventually("the database to hold what was written", () =>
    statSync(file).size > BYTES ? true : null,
  );
  await checkpoints.stop();
  assert.equal(connection.pragma("wal_autocheckpoint", { simple: true }), 1_000);
  connection.close();
});

test("a thread that is stopped while it starts is not terminated, but ends of its own accord", async (t) => {
  const file = join(sqlitePlace(t).dataDir, "checkpoints.db");
  const connection = new Sqlite(file);
  const exitCode = new Promise((resolve) =>
    process.once("worker", (worker) => worker.once("exit", resolve)),
  );
  await startCheckpoints(connection, { file, log: null }).stop();
  assert.equal(await exitCode, 0);
  connection.close();
});

test("a thread that has failed is logged, and can be stopped, also twice", async (t) => {
  const { dataDir } = sqlitePlace(t);
  const connection = new Sqlite(join(dataDir, "checkpoints.db"));
  const warnings: unknown[] = [];
  const log = warningsTo((context) => warnings.push(context));
  const checkpoints = startCheckpoints(connection, { file: dataDir, log });
  await eventually("the failure to be logged", () => (warnings.length > 0 ? true : null));
  await Promise.all([checkpoints.stop(), checkpoints.stop()]);
  assert.equal(connection.pragma("wal_autocheckpoint", { simple: true }), 1_000);
  connection.close();
});
