import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Sqlite from "better-sqlite3";
import { sql } from "kysely";
import {
  type DatabasePlace,
  postgresPlace,
  sqlitePlace,
} from "#test/support/databases/databases.ts";
import { contentOf, fillEveryTable } from "#test/support/databases/every-table.ts";
import { closeAfter } from "#test/support/ending.ts";
import { type Database, openDatabase } from "../connection/database.ts";
import { migrate } from "../connection/migrate.ts";
import { refuseHalfMoved } from "./move-progress.ts";
import { MoveRefusedError } from "./move-refused-error.ts";
import { type Move, moveToPostgres } from "./move-to-postgres.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
/** Two pages and a bit. */
const MANY = 560;
const FEW = 20;

type Sides = {
  readonly source: Database;
  readonly target: Database;
  readonly sourcePlace: DatabasePlace;
  readonly counts: ReadonlyMap<string, number>;
  readonly run: (more?: Partial<Move>) => ReturnType<typeof moveToPostgres>;
};

/** A filled source and an empty target; null, with a diagnostic, without a Postgres. */
async function sides(t: TestContext, rows: number): Promise<Sides | null> {
  const targetPlace = await postgresPlace(t);
  if (targetPlace === null) return null;
  const sourcePlace = sqlitePlace(t);
  const source = openDatabase(sourcePlace);
  const target = openDatabase(targetPlace);
  closeAfter(t, () => Promise.all([source.close(), target.close()]));
  await migrate(source, 0);
  const counts = await fillEveryTable(source.db, { rows, seed: 8 });
  const run: Sides["run"] = (more) => moveToPostgres({ source, target, nowMs: NOW, ...more });
  return { source, target, sourcePlace, counts, run };
}

test("every row of every table is copied unchanged, and numbering continues after the last number", async (t) => {
  const made = await sides(t, MANY);
  if (made === null) return;
  const { source, target, counts, run } = made;
  for (const [table, count] of counts) assert.ok(count > MANY / 2, `${table} has ${count} rows`);
  const outcome = await run();
  assert.ok(outcome.kind === "moved");
  assert.deepEqual(
    new Map(outcome.tables.map(({ name, target: { rows } }) => [name, rows])),
    counts,
  );
  const tables = [...counts.keys()];
  const [here, there] = [await contentOf(source.db, tables), await contentOf(target.db, tables)];
  for (const table of tables) assert.deepEqual(there[table], here[table], table);
  const alert = { detector: "d", cause: "c", token_id: 1n, slot: 1n, started_at_ms: 1n };
  const added = await target.db
    .insertInto("alerts")
    .values({ ...alert, c10_before: 1, c10_after: 1 })
    .returning("id")
    .executeTakeFirstOrThrow();
  assert.equal(added.id, BigInt(MANY) + 1n);
});

test("a run after completion reports its time and changes nothing", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  const { target, counts, run } = made;
  await run();
  await refuseHalfMoved(target);
  await target.db.deleteFrom("waitlist").execute();
  const before = await contentOf(target.db, [...counts.keys()]);
  assert.deepEqual(await run({ nowMs: NOW + 1 }), { kind: "moved-before", atMs: NOW });
  assert.deepEqual(await contentOf(target.db, [...counts.keys()]), before);
});

test("an empty database can be moved", async (t) => {
  const made = await sides(t, 0);
  if (made === null) return;
  assert.equal((await made.run()).kind, "moved");
});

const TAMPERINGS = {
  users: sql`update users set name = name || ' ' where id = (select min(id) from users)`,
  samples: sql`update samples set data = set_byte(data, 9, 0) where length(data) = 256`,
  sessions: sql`update sessions set created_at = created_at + interval '1 microsecond'
    where id = (select min(id) from sessions)`,
  alerts: sql`update alerts set c10_after = 0.33333333333333326 where c10_after = 0.3333333333333333`,
  events: sql`update events set payload = null where payload = ''`,
  waitlist: sql`insert into waitlist values ('more@example.com', '', 0)`,
  message_alerts: sql`delete from message_alerts where ctid = (select min(ctid) from message_alerts)`,
  tokens: sql`select setval(pg_get_serial_sequence('tokens', 'id'), 5)`,
};

test("a difference of a byte, a row, a microsecond or a sequence is found, and the move stays incomplete", async (t) => {
  const made = await sides(t, 60);
  if (made === null) return;
  const { target, counts, run } = made;
  const last = [...counts.keys()].at(-1);
  const outcome = await run({
    async onCopied(table) {
      if (table !== last) return;
      for (const tampering of Object.values(TAMPERINGS)) await tampering.execute(target.db);
    },
  });
  assert.ok(outcome.kind === "different");
  const different = outcome.tables.filter(({ isSame }) => !isSame).map(({ name }) => name);
  assert.deepEqual(different.sort(), Object.keys(TAMPERINGS).sort());
  await assert.rejects(refuseHalfMoved(target), MoveRefusedError);
  assert.equal((await run()).kind, "different");
});

test("a target with foreign tables or rows is refused and left unchanged", async (t) => {
  const contents: Readonly<Record<string, (target: Database) => Promise<unknown>>> = {
    "not Exitability's \\(orders\\)": ({ db }) => sql`create table orders (id int)`.execute(db),
    "not Exitability's \\(schema_migrations\\)": ({ db }) =>
      sql`create table schema_migrations (version text primary key)`.execute(db),
    "not Exitability's \\(users\\)": ({ db }) => sql`create table users (id int)`.execute(db),
    "table waitlist holds rows already, .* name an empty database": async (target) => {
      await migrate(target, 0);
      const row = { email: "a@example.com", origen: "", created_at_ms: 0n };
      await target.db.insertInto("waitlist").values(row).execute();
    },
  };
  for (const [reason, fill] of Object.entries(contents)) {
    const made = await sides(t, FEW);
    if (made === null) return;
    const { target, run } = made;
    await fill(target);
    const before = await tablesOf(target);
    await assert.rejects(run(), { name: "MoveRefusedError", message: new RegExp(reason) });
    assert.deepEqual(await tablesOf(target), before);
    await refuseHalfMoved(target);
  }
});

async function tablesOf({ db }: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

test("empty tables created by the service are filled", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  await migrate(made.target, 0);
  assert.equal((await made.run()).kind, "moved");
});

/** Ends a move after its first table, as a lost connection would. */
async function breakOff({ run }: Sides): Promise<void> {
  const lost = new Error("the connection is lost");
  const onCopied = () => Promise.reject(lost);
  await assert.rejects(run({ onCopied }), lost);
}

test("an interrupted move continues, and until then the service refuses the target", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  await breakOff(made);
  await assert.rejects(refuseHalfMoved(made.target), /is not done/);
  assert.equal((await made.run()).kind, "moved");
  await refuseHalfMoved(made.target);
});

test("a source whose copied rows changed is refused, during and after the move", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  const { source, target, run } = made;
  await breakOff(made);
  const [first] = (
    await sql<{ name: string }>`select table_name as name from move_progress
    where rows > 0`.execute(target.db)
  ).rows;
  assert.ok(first);
  const refused = {
    name: "MoveRefusedError",
    message: new RegExp(`table ${first.name} of the source`),
  };
  const { rows } =
    await sql`delete from ${sql.table(first.name)} where rowid = 3 returning *`.execute(source.db);
  await assert.rejects(run(), refused);
  const [row] = rows as [Record<string, unknown>];
  await sql`insert into ${sql.table(first.name)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
    values (${sql.join(Object.values(row))})`.execute(source.db);
  assert.equal((await run()).kind, "moved");
  await sql`delete from ${sql.table(first.name)} where rowid = 4`.execute(source.db);
  await assert.rejects(run(), refused);
});

test("the source cannot be written during the move", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  const writer = new Sqlite(join(made.sourcePlace.dataDir, "exitability.db"), { timeout: 0 });
  closeAfter(t, () => writer.close());
  let tries = 0;
  await made.run({
    onCopied: () => {
      tries++;
      assert.throws(() => writer.exec("delete from waitlist"), { code: "SQLITE_BUSY" });
    },
  });
  assert.equal(tries, made.counts.size);
});

/** What to write, where, and what to put it right with. */
const UNHOLDABLE = [
  ["tokens", "name", "'a' || char(0)", null],
  ["tokens", "first_seen_ms", "'soon'", 1n],
  ["tokens", "first_seen_ms", "1.5", 1n],
  ["users", "email_verified", "2", 1n],
  ["users", "created_at", "'2026-02-30T00:00:00.000Z'", "2026-02-28T00:00:00.000Z"],
  ["users", "created_at", "'2026-02-28'", "2026-02-28T00:00:00.000Z"],
] as const;

test("a value that Postgres cannot hold is reported with its column, and after a correction the move continues", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  const { source, run } = made;
  for (const [table, column, unholdable, right] of UNHOLDABLE) {
    const set = sql`update ${sql.table(table)} set ${sql.ref(column)} =`;
    await sql`${set} ${sql.raw(unholdable)} where rowid = 2`.execute(source.db);
    await assert.rejects(run(), new RegExp(`${table}\\.${column} holds a value`));
    await sql`${set} ${right} where rowid = 2`.execute(source.db);
  }
  assert.equal((await run()).kind, "moved");
});

test("one move at a time fills a target", async (t) => {
  const made = await sides(t, FEW);
  if (made === null) return;
  const { target, run } = made;
  await target.db.connection().execute(async (another) => {
    const key = sql`hashtext('exitability.move.' || current_schema())`;
    await sql`select pg_advisory_lock(${key})`.execute(another);
    await assert.rejects(run(), /another move to this target is running/);
    await sql`select pg_advisory_unlock(${key})`.execute(another);
  });
  assert.equal((await run()).kind, "moved");
});
