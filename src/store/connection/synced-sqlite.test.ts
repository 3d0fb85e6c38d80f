import assert from "node:assert/strict";
import { existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { Kysely } from "kysely";
import { closeAfter } from "#test/support/ending.ts";
import { temporaryDirectory } from "#test/support/temporary-directory.ts";
import { syncedSqlite, WalFile } from "./synced-sqlite.ts";

type Notes = { notes: { text: string } };

/** A database in memory; the test ends its syncs. */
async function openNotes(t: TestContext) {
  const connection = new Sqlite(":memory:").defaultSafeIntegers(true);
  connection.exec("create table notes (text text unique)");
  const changes = connection.prepare<[], bigint>("select total_changes()").pluck();
  const syncs: PromiseWithResolvers<void>[] = [];
  const db = new Kysely<Notes>({
    dialect: syncedSqlite({
      database: connection,
      changes: () => changes.get() ?? 0n,
      sync() {
        const sync = Promise.withResolvers<void>();
        syncs.push(sync);
        return sync.promise;
      },
      closeSync: async () => {},
    }),
  });
  closeAfter(t, () => db.destroy());
  const ended: string[] = [];
  const write = (text: string): Promise<unknown> =>
    db
      .insertInto("notes")
      .values({ text })
      .execute()
      .then(
        () => ended.push(text),
        () => ended.push(`${text} failed`),
      );
  const texts = async (): Promise<readonly string[]> =>
    (await db.selectFrom("notes").selectAll().execute()).map(({ text }) => text);
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await nextTurn();
  };
  return { db, syncs, ended, write, texts, turns };
}

test("a write ends after a sync that began after its commit; writes that commit during a sync share the next one", async (t) => {
  const { syncs, ended, write, turns } = await openNotes(t);
  const first = write("one");
  await turns();
  assert.equal(syncs.length, 1);
  const others = [write("two"), write("three")];
  await turns();
  assert.deepEqual([syncs.length, ended], [1, []]);
  syncs[0]?.resolve();
  await first;
  await turns();
  assert.deepEqual([syncs.length, ended], [2, ["one"]]);
  syncs[1]?.resolve();
  await Promise.all(others);
  assert.deepEqual(ended, ["one", "two", "three"]);
});

test("a transaction is synced once, after its commit; reads wait for no sync", async (t) => {
  const { db, syncs, ended, write, texts, turns } = await openNotes(t);
  const transaction = db.transaction().execute(async (within) => {
    for (const text of ["a", "b"]) await within.insertInto("notes").values({ text }).execute();
    assert.equal(syncs.length, 0);
  });
  await turns();
  assert.equal(syncs.length, 1);
  assert.deepEqual(await texts(), ["a", "b"]);
  syncs[0]?.resolve();
  await transaction;
  await write("a");
  assert.deepEqual([syncs.length, ended], [1, ["a failed"]]);
});

test("a failed sync fails every write that waits for it, also a write that finds its row already there", async (t) => {
  const { db, syncs, ended, write, turns } = await openNotes(t);
  const failed = write("one");
  await turns();
  syncs[0]?.reject(new Error("the disk is gone"));
  await failed;
  const again = db
    .insertInto("notes")
    .values({ text: "one" })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
    .then(() => ended.push("one again"));
  await turns();
  assert.deepEqual([syncs.length, ended], [2, ["one failed"]]);
  syncs[1]?.resolve();
  await again;
  assert.deepEqual(ended, ["one failed", "one again"]);
});

test("a transaction that is rolled back waits for no sync and reports its own error", async (t) => {
  const { db, syncs } = await openNotes(t);
  const failed = db.transaction().execute(async (within) => {
    await within.insertInto("notes").values({ text: "a" }).execute();
    throw new Error("changed my mind");
  });
  await assert.rejects(failed, /changed my mind/);
  assert.equal(syncs.length, 0);
});

test("closing waits for earlier callers and their syncs", async (t) => {
  const { db, syncs, ended, write, texts, turns } = await openNotes(t);
  assert.deepEqual(await texts(), []);
  const writes = ["one", "two", "three"].map(write);
  let isClosed = false;
  const closing = db.destroy().then(() => {
    isClosed = true;
  });
  await turns();
  assert.deepEqual([syncs.length, ended, isClosed], [1, [], false]);
  while (!isClosed) {
    for (const { resolve } of syncs) resolve();
    await nextTurn();
  }
  await Promise.all([...writes, closing]);
  assert.deepEqual(ended, ["one", "two", "three"]);
});

const withoutProc = existsSync("/proc/self/fd") ? false : "only Linux lists open files";

test("syncs that begin at once share one open file, and closing leaves none open", {
  skip: withoutProc,
}, async (t) => {
  const file = join(temporaryDirectory(t), "notes.db");
  const wal = new WalFile(file);
  await assert.rejects(Promise.all([wal.sync(), wal.sync()]), /notes\.db-wal/);
  writeFileSync(`${file}-wal`, "");
  await Promise.all([wal.sync(), wal.sync(), wal.sync()]);
  assert.equal(openFiles(`${file}-wal`), 1);
  await Promise.all([wal.sync(), wal.close()]);
  assert.equal(openFiles(`${file}-wal`), 0);
  const other = new WalFile(file);
  const synced = other.sync();
  await other.close();
  await synced;
  assert.equal(openFiles(`${file}-wal`), 0);
});

/** How often this process has the file open, as Linux reports it. */
function openFiles(path: string): number {
  const folder = "/proc/self/fd";
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)) === path;
    } catch {
      return false; // Closed meanwhile, as the one that lists the folder.
    }
  }).length;
}
