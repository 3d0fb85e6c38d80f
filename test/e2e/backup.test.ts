import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { backUpEmbedded } from "#src/store/connection/backup.ts";
import { type Database, openDatabase } from "#src/store/connection/database.ts";
import { migrate } from "#src/store/connection/migrate.ts";
import { moveToPostgres } from "#src/store/move/move-to-postgres.ts";
import { readWaitlist } from "#src/store/waitlist.ts";
import { avoidMidnight } from "#test/support/avoid-midnight.ts";
import { type DatabasePlace, ownPostgres, sqlitePlace } from "#test/support/databases/databases.ts";
import { contentOf, fillEveryTable } from "#test/support/databases/every-table.ts";
import { runCommand, startTestService } from "#test/support/processes/service.ts";
import { callsLeft, exported, signUp } from "#test/support/processes/service-member.ts";

/** Who writes at once, each time from an address of its own. */
const WRITERS = 4;
const WRITTEN_BEFORE = 50;
/** Above the highest process number of Linux. */
const NO_PROCESS = 2 ** 22 + 1;

async function joinWaitlist(url: string, number: number): Promise<void> {
  const response = await fetch(`${url}/api/oracle/waitlist`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-for": `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    },
    body: JSON.stringify({ email: `w${number}@example.com`, origen: "backup" }),
  });
  assert.equal(response.status, 201, await response.text());
}

test("a back-up made while the service writes holds all that was acknowledged before it, and serves the same", async (t) => {
  const place = sqlitePlace(t);
  const first = await startTestService(t, place);
  await avoidMidnight();
  const member = await signUp(first, "ana@example.com");
  const left = await callsLeft(first.url, member);
  assert.equal(await first.stop(), 0); // A key's own count is written now and then, and at the end.
  const service = await startTestService(t, place, { TRUST_PROXY: "1" });
  const kept = await exported(service.url, member);

  const acknowledged: number[] = [];
  let next = 0;
  let isOver = false;
  const enough = Promise.withResolvers<void>();
  const writing = Array.from({ length: WRITERS }, async () => {
    while (!isOver) {
      const number = next++;
      await joinWaitlist(service.url, number);
      acknowledged.push(number);
      if (acknowledged.length === WRITTEN_BEFORE) enough.resolve();
    }
  });
  const written = Promise.all(writing);
  await Promise.race([enough.promise, written]);
  const before = [...acknowledged];
  const file = join(place.dataDir, "backup.db");
  const { code, stderr } = await backUp(place, file);
  const during = acknowledged.length - before.length;
  isOver = true;
  await written;
  assert.equal(code, 0, stderr);
  assert.ok(during > 0, "it was written to meanwhile");
  t.diagnostic(`${before.length} writes before, ${during} during the back-up`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await service.kill();

  const restored = sqlitePlace(t);
  copyFileSync(file, join(restored.dataDir, "exitability.db"));
  const again = await startTestService(t, restored);
  assert.deepEqual(await exported(again.url, member), kept);
  assert.equal(await callsLeft(again.url, member), left - 1);
  assert.equal(await again.stop(), 0);
  const database = openDatabase(restored);
  const there = new Set((await readWaitlist(database.db)).map(({ email }) => email));
  await database.close();
  for (const number of before) assert.ok(there.has(`w${number}@example.com`), `${number} is there`);
});

async function backUp(
  { dataDir }: DatabasePlace,
  file: string,
): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ["bin/exitability.mjs", "admin", "backup", file], {
    env: { PATH, HOME, DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const [code] = await once(child, "exit");
  return { code, stderr };
}

test("a back-up has every row, is never written over another, and takes the database as it is", async (t) => {
  const place = sqlitePlace(t);
  const database = openDatabase(place);
  await migrate(database, 0);
  const tables = [...(await fillEveryTable(database.db, { rows: 50, seed: 3 })).keys()];
  const expected = await contentOf(database.db, tables);
  await database.close();
  const file = join(place.dataDir, "b.db");
  const partial = (host: string, pid: number, end = "partial") => {
    const name = `${file}.${host}.${pid}.${randomUUID()}.${end}`;
    writeFileSync(name, "of another back-up");
    return name;
  };
  const own = hostname();
  const old = partial("elsewhere", 1);
  const daysAgo = Date.now() / 1_000 - 2 * 86_400;
  utimesSync(old, daysAgo, daysAgo);
  const leftovers = [old, partial(own, NO_PROCESS), partial(own, NO_PROCESS, "partial-journal")];
  const running = [partial(own, process.pid), partial("elsewhere", NO_PROCESS)];
  const made = runCommand(place, ["admin", "backup", file, "--json"]);
  assert.equal(made.code, 0, made.err);
  assert.deepEqual(JSON.parse(made.out), { file, bytes: statSync(file).size });
  for (const leftover of leftovers) assert.ok(!existsSync(leftover), leftover);
  for (const other of running) assert.ok(existsSync(other), other);
  const twice = runCommand(place, ["admin", "backup", file]);
  assert.equal(twice.code, 1);
  assert.match(twice.err, /exists already/);

  const restored = sqlitePlace(t);
  copyFileSync(file, join(restored.dataDir, "exitability.db"));
  const copy = openDatabase(restored);
  assert.deepEqual(await contentOf(copy.db, tables), expected);
  assert.deepEqual(await migrate(copy, 0), []);
  const { id } = await addAlert(copy);
  assert.equal(id, 51n, "numbers are not given twice");
  await copy.close();
});

test("of two back-ups to one name at once, one has it and is complete, and the other finds that it exists", async (t) => {
  const place = sqlitePlace(t);
  const database = openDatabase(place);
  await migrate(database, 0);
  const tables = [...(await fillEveryTable(database.db, { rows: 50, seed: 4 })).keys()];
  const expected = await contentOf(database.db, tables);
  const file = join(place.dataDir, "b.db");
  const made = await Promise.all([1, 2, 3].map(() => backUpEmbedded(database, file, Date.now())));
  assert.deepEqual(made.map(({ kind }) => kind).toSorted(), [
    ...["file-exists", "file-exists", "written"],
  ]);
  assert.deepEqual(
    readdirSync(place.dataDir).filter((name) => name.includes("partial")),
    [],
  );
  await database.close();
  const restored = sqlitePlace(t);
  copyFileSync(file, join(restored.dataDir, "exitability.db"));
  const copy = openDatabase(restored);
  assert.deepEqual(await contentOf(copy.db, tables), expected);
  await copy.close();
});

test("there is no back-up of a database that is not there, is empty, or is a Postgres", (t) => {
  const place = sqlitePlace(t);
  const file = join(place.dataDir, "b.db");
  const missing = runCommand(place, ["admin", "backup", file]);
  assert.equal(missing.code, 1);
  assert.deepEqual(readdirSync(place.dataDir), []);
  writeFileSync(join(place.dataDir, "exitability.db"), "");
  const empty = runCommand(place, ["admin", "backup", file]);
  assert.equal(empty.code, 1);
  assert.match(empty.err, /has no tables of the service/);
  assert.ok(!existsSync(file));
  const url = "postgres://127.0.0.1:1/nowhere";
  const other = runCommand({ ...place, databaseUrl: url }, ["admin", "backup", "b.db"]);
  assert.equal(other.code, 2);
  assert.match(other.err, /pg_dump/);
});

test("a Postgres that was dumped and restored as documented has every row, and goes on numbering", async (t) => {
  const target = await ownPostgres(t);
  if (target === null) return;
  const source = openDatabase(sqlitePlace(t));
  await migrate(source, 0);
  const tables = [...(await fillEveryTable(source.db, { rows: 50, seed: 4 })).keys()];
  const database = openDatabase(target);
  await moveToPostgres({ source, target: database, nowMs: 0 });
  const expected = await contentOf(database.db, tables);
  await Promise.all([source.close(), database.close()]);
  const file = join(target.dataDir, "dump");
  assert.ok(target.databaseUrl);
  execFileSync("pg_dump", ["--format=custom", `--file=${file}`, target.databaseUrl]);
  const restored = await ownPostgres(t);
  assert.ok(restored?.databaseUrl);
  execFileSync("pg_restore", [
    "--exit-on-error",
    "--single-transaction",
    "--no-owner",
    `--dbname=${restored.databaseUrl}`,
    file,
  ]);
  const copy = openDatabase(restored);
  assert.deepEqual(await contentOf(copy.db, tables), expected);
  assert.deepEqual(await migrate(copy, 0), []);
  const { id } = await addAlert(copy);
  assert.equal(id, 51n);
  await copy.close();
});

function addAlert({ db }: Database) {
  const alert = { detector: "d", cause: "c", token_id: 1n, slot: 1n, started_at_ms: 1n };
  return db
    .insertInto("alerts")
    .values({ ...alert, c10_before: 1, c10_after: 1 })
    .returning("id")
    .executeTakeFirstOrThrow();
}
