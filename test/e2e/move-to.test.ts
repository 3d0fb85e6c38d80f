import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { seededRandom } from "#src/platform/seeded-random.ts";
import { openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { avoidMidnight } from "#test/support/avoid-midnight.ts";
import {
  type DatabasePlace,
  postgresPlace,
  sqlitePlace,
} from "#test/support/databases/databases.ts";
import { contentOf, fillEveryTable } from "#test/support/databases/every-table.ts";
import { closeAfter } from "#test/support/ending.ts";
import type { MoveCrashOrder } from "#test/support/processes/move-crash-child.ts";
import { runCommand, startTestService } from "#test/support/processes/service.ts";
import { callsLeft, exported, signUp } from "#test/support/processes/service-member.ts";

/** Two pages a table. */
const ROWS = 300;
const TARGETS = 5;
/** About as many begins and ends of statements as a whole move has. */
const STEPS = 450;

/** An embedded database with rows in every table. @returns its tables */
async function fill(place: DatabasePlace, rows: number): Promise<readonly string[]> {
  const database = openDatabase(place);
  await migrate(database, 0);
  const counts = await fillEveryTable(database.db, { rows, seed: 9 });
  await database.close();
  return [...counts.keys()];
}

async function contentAt(place: DatabasePlace, tables: readonly string[]) {
  const database = openDatabase(place);
  try {
    return await contentOf(database.db, tables);
  } finally {
    await database.close();
  }
}

test("killed at random points and started again, it ends with everything there once", async (t) => {
  const source = sqlitePlace(t);
  const tables = await fill(source, ROWS);
  const expected = await contentAt(source, tables);
  const random = seededRandom(21);
  let kills = 0;
  for (let number = 0; number < TARGETS; number++) {
    const target = await postgresPlace(t);
    if (target?.databaseUrl == null) return;
    const order = { dataDir: source.dataDir, databaseUrl: target.databaseUrl };
    for (let isDone = false; !isDone; ) {
      const killAtStep = 1 + Math.floor(random() * STEPS);
      const ended = await moveProcess({ ...order, killAtStep, isSent: random() < 0.5 });
      isDone = ended === "done";
      if (!isDone) kills++;
    }
    const again = runCommand(source, ["admin", "move-to", target.databaseUrl]);
    assert.match(again.out, /^done already/);
    assert.equal(again.code, 0, again.err);
    assert.deepEqual(await contentAt(target, tables), expected);
  }
  t.diagnostic(`${kills} kills, ${TARGETS} targets`);
  assert.ok(kills >= TARGETS);
});

async function moveProcess(order: MoveCrashOrder): Promise<"done" | "killed"> {
  const script = join(import.meta.dirname, "..", "support", "processes", "move-crash-child.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(order)], { stdio: "inherit" });
  const [code, signal] = await once(child, "exit");
  if (signal === "SIGKILL") return "killed";
  assert.equal(code, 0);
  return "done";
}

test("a row that was changed on the way ends in exit code 1, and says which table", async (t) => {
  const target = await postgresPlace(t);
  if (target?.databaseUrl == null) return;
  const source = sqlitePlace(t);
  await fill(source, ROWS);
  await killAtFirstLine(t, source, ["admin", "move-to", target.databaseUrl]);
  const refused = startTestService(t, target);
  await assert.rejects(refused, /the move to this database is not done/);
  const database = openDatabase(target);
  const arrived = await sql<{ name: string }>`select table_name as name from move_progress
    where rows > 0 order by rows desc, table_name`.execute(database.db);
  const [first] = arrived.rows;
  assert.ok(first);
  await sql`delete from ${sql.table(first.name)}
    where ctid = (select min(ctid) from ${sql.table(first.name)})`.execute(database.db);
  await database.close();
  const json = runCommand(source, ["admin", "move-to", target.databaseUrl, "--json"]);
  assert.equal(json.code, 1, json.err);
  const body = JSON.parse(json.out) as { tables: { table: string; same: boolean }[] };
  const different = body.tables.filter(({ same }) => !same).map(({ table }) => table);
  assert.deepEqual(different, [first.name]);
  const shown = runCommand(source, ["admin", "move-to", target.databaseUrl]);
  assert.equal(shown.code, 1);
  assert.match(shown.out, new RegExp(`^${first.name} .* DIFFERENT$`, "m"));
  await assert.rejects(startTestService(t, target), /the move to this database is not done/);
});

/** Kills a command, as the power does, as soon as it says anything. */
async function killAtFirstLine(
  t: TestContext,
  { dataDir }: DatabasePlace,
  args: readonly string[],
): Promise<void> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["bin/exitability.mjs", ...args], {
    env: { PATH, HOME, DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "pipe"],
  });
  closeAfter(t, () => child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(createInterface({ input: child.stderr }), "line");
  child.kill("SIGKILL");
  assert.deepEqual(await ended, [null, "SIGKILL"]);
}

test("a service moves house: the same session, key, counts and everything kept, on Postgres", async (t) => {
  const target = await postgresPlace(t);
  if (target?.databaseUrl == null) return;
  const source = sqlitePlace(t);
  const first = await startTestService(t, source);
  await avoidMidnight();
  const member = await signUp(first, "ana@example.com");
  const left = await callsLeft(first.url, member);
  assert.equal(await first.stop(), 0); // A key's own count is written now and then, and at the end.
  const before = await startTestService(t, source);
  const kept = await exported(before.url, member);
  const command = ["admin", "move-to", target.databaseUrl];
  const refused = runCommand(source, command);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /is in use by process \d+\. Stop it before the move\./);
  assert.equal(await before.stop(), 0);
  const moved = runCommand(source, command);
  assert.equal(moved.code, 0, moved.err);
  assert.match(moved.out, /^users +1 +1 .* same$/m);
  const after = await startTestService(t, target);
  assert.deepEqual(await exported(after.url, member), kept);
  assert.equal(await callsLeft(after.url, member), left - 1);
  assert.equal(await after.stop(), 0);
});

test("a directory without a database is refused, and none is made", async (t) => {
  const { dataDir } = sqlitePlace(t);
  const place: DatabasePlace = { dialect: "sqlite", databaseUrl: null, dataDir };
  const url = "postgres://127.0.0.1:1/nowhere";
  const flag = runCommand(place, ["admin", "move-to", url, "--data-dir", join(dataDir, "none")]);
  assert.equal(flag.code, 1);
  assert.match(flag.err, /there is no embedded database in .*none/);
  assert.equal(runCommand(place, ["admin", "move-to", "mysql://127.0.0.1"]).code, 2);
});
