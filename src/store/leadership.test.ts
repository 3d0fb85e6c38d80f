import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { type DatabasePlace, postgresPlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { eventually } from "#test/support/eventually.ts";
import { type Database, openDatabase } from "./connection/database.ts";
import { migrate } from "./connection/migrate.ts";
import { AlreadyTrackedError, leadAlone } from "./lead-alone.ts";
import { deploymentName, type Leadership, waitForLeadership } from "./leadership.ts";
import { joinWaitlist, readWaitlist } from "./waitlist.ts";

type Setting = {
  readonly place: DatabasePlace;
  readonly database: Database;
  /** Run when the test ends, before the schema is dropped. */
  readonly onEnd: (close: () => Promise<void>) => void;
};

async function onPostgres(t: TestContext): Promise<Setting | null> {
  const place = await postgresPlace(t);
  if (place === null) return null;
  const database = openDatabase(place);
  closeAfter(t, () => database.close());
  await migrate(database, 0);
  await deploymentName(database.db);
  return { place, database, onEnd: (close) => closeAfter(t, close) };
}

function contend({ place: { databaseUrl, dataDir }, onEnd }: Setting) {
  assert.ok(databaseUrl !== null);
  const stopping = new AbortController();
  const waiting = waitForLeadership({
    databaseUrl,
    dataDir,
    clock: { nowMs: () => performance.now() },
    signal: stopping.signal,
    onFailure: () => undefined,
  });
  const end = async () => {
    stopping.abort();
    const leadership = await waiting;
    await leadership?.resign();
    await leadership?.database.close();
  };
  onEnd(end);
  return { leads: waiting as Promise<Leadership> };
}

/** Terminates the leader's connection, as a network failure does. */
async function cutOff({ database }: Setting): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'exitability tracker' and pid in
      (select pid from pg_locks where locktype = 'advisory' and objid = 0 and granted
        and classid::int8 = (hashtext('exitability.leader.' || current_schema()) & 2147483647))`.execute(
    database.db,
  );
}

const noted = (leadership: Leadership, email: string) =>
  joinWaitlist(leadership.database.db, { email, origin: "test", createdAtMs: 0 });

test("all processes that share a database get the same deployment name", async (t) => {
  const setting = await onPostgres(t);
  if (setting === null) return;
  const { db } = setting.database;
  const names = await Promise.all([deploymentName(db), deploymentName(db), deploymentName(db)]);
  assert.equal(new Set(names).size, 1);
});

test("one process leads, and a standby takes over with a higher term once it resigns", async (t) => {
  const setting = await onPostgres(t);
  if (setting === null) return;
  const contenders = [contend(setting), contend(setting)];
  const first = await Promise.race(contenders.map(({ leads }) => leads));
  await first.database.close();
  await first.resign();
  await first.lost;
  const both = await Promise.all(contenders.map(({ leads }) => leads));
  assert.deepEqual(both.map(({ term }) => term).toSorted(), [1n, 2n]);
});

test("a leader that lost its connection knows it, and the database accepts none of its writes after a successor leads", async (t) => {
  const setting = await onPostgres(t);
  if (setting === null) return;
  const old = await contend(setting).leads;
  await noted(old, "before@example.com");
  const underWay = await old.database.db.startTransaction().execute();
  await joinWaitlist(underWay, { email: "under-way@example.com", origin: "test", createdAtMs: 0 });
  await cutOff(setting);
  await old.lost;
  const successor = await contend(setting).leads;
  assert.equal(successor.term, old.term + 1n);
  await assert.rejects(underWay.commit().execute());
  await assert.rejects(underWay.rollback().execute());
  await assert.rejects(noted(old, "late@example.com"));
  await noted(successor, "after@example.com");
  const kept = await readWaitlist(setting.database.db);
  assert.deepEqual(kept.map(({ email }) => email).toSorted(), [
    "after@example.com",
    "before@example.com",
  ]);
});

/** Starts a process without Redis on the database of the setting. */
async function begin({ place: { databaseUrl, dataDir }, onEnd }: Setting, waitsMs: number) {
  assert.ok(databaseUrl !== null);
  const clock = { nowMs: () => performance.now() };
  const onFailure = () => undefined;
  const log = { info() {}, warn() {}, error() {} };
  const lone = await leadAlone({ databaseUrl, dataDir, clock, onFailure, log }, waitsMs);
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await lone.close();
  };
  onEnd(close);
  return { database: lone.database, close };
}

test("without Redis a second process on the same database is refused while the first lives", async (t) => {
  const setting = await onPostgres(t);
  if (setting === null) return;
  const first = await begin(setting, 10_000);
  await assert.rejects(
    begin(setting, 1_200),
    (error) => error instanceof AlreadyTrackedError && /REDIS_URL/.test(error.message),
  );
  await first.close();
  const second = await begin(setting, 10_000);
  await joinWaitlist(second.database.db, { email: "a@b.example", origin: "test", createdAtMs: 0 });
});

test("a single process leads and writes again after Postgres closed its connections", async (t) => {
  const setting = await onPostgres(t);
  if (setting === null) return;
  const lone = await begin(setting, 10_000);
  const write = (email: string) =>
    joinWaitlist(lone.database.db, { email, origin: "test", createdAtMs: 0 });
  await write("before@example.com");
  await cutOff(setting);
  const newTerm = async () => ((await termOf(setting)) < 2n ? null : true);
  await eventually("a new term", newTerm);
  // Writes fail until this process has read the new term and closed its old connections.
  const writes = () =>
    write("after@example.com").then(
      () => true,
      () => null,
    );
  await eventually("a write", writes);
  const kept = await readWaitlist(setting.database.db);
  assert.equal(kept.length, 2);
});

async function termOf({ database: { db } }: Setting): Promise<bigint> {
  const row = await db.selectFrom("leadership").select("term").executeTakeFirstOrThrow();
  return row.term;
}
