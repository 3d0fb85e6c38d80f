import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { eachDatabase, sqlitePlace } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { createUserForEmail } from "../users.ts";
import { openDatabase } from "./database.ts";
import { DirectoryInUseError } from "./directory-lock.ts";
import { migrate } from "./migrate.ts";

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("a thread of the owner opens and closes the database without ending the owner's locks on it", async (t) => {
  if (process.platform !== "linux") {
    t.skip("the locks of a process are listed on Linux only");
    return;
  }
  const { dataDir, databaseUrl } = sqlitePlace(t);
  const owner = openDatabase({ dataDir, databaseUrl });
  closeAfter(t, owner.close);
  await migrate(owner, 0);
  const inode = String(statSync(join(dataDir, "exitability.db")).ino);
  const locks = () =>
    readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.split(/\s+/).some((field) => field.endsWith(`:${inode}`)))
      .map((line) => line.replace(/^\d+: /, ""));
  const before = locks();
  assert.ok(before.length > 0, "SQLite holds a lock while the database is open");
  const thread = openDatabase({ dataDir, databaseUrl, access: "thread" });
  await thread.db.selectFrom("users").selectAll().execute();
  assert.deepEqual(locks(), before);
  await thread.close();
  assert.deepEqual(locks(), before);
});

test("int8 is read as bigint", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const result = await sql<{
      big: bigint;
    }>`select cast(9007199254740993 as bigint) as big`.execute(db);
    assert.equal(result.rows[0]?.big, 9_007_199_254_740_993n);
  });
});

test("a failed transaction changes nothing, and the next one works", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const row = { subject: "user:1", day: 1n, used: 1n };
    await assert.rejects(
      db.transaction().execute(async (transaction) => {
        await transaction.insertInto("daily_usage").values(row).execute();
        throw new Error("changed my mind");
      }),
    );
    assert.deepEqual(await db.selectFrom("daily_usage").selectAll().execute(), []);
    await db.transaction().execute(async (transaction) => {
      await transaction.insertInto("daily_usage").values(row).execute();
    });
    assert.deepEqual(await db.selectFrom("daily_usage").selectAll().execute(), [row]);
  });
});

test("a database's error does not quote the row it is about", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    await createUserForEmail(store, "ana@example.com", 0);
    const { db } = store;
    const [row] = await db.selectFrom("users").selectAll().execute();
    assert.ok(row);
    const again = db.insertInto("users").values(row).execute();
    await assert.rejects(again, (error: Error) => {
      const logged = JSON.stringify({ ...error, message: error.message, stack: error.stack });
      return !logged.includes("ana@") && !logged.includes(row.id);
    });
  });
});

test("failed reads and writes are counted separately, constraint violations not at all", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { db, failures } = store;
    await createUserForEmail(store, "ana@example.com", 0);
    const [row] = await db.selectFrom("users").selectAll().execute();
    assert.ok(row);
    await assert.rejects(db.insertInto("users").values(row).execute());
    assert.deepEqual(failures, { reads: 0, writes: 0 });
    await db.schema.alterTable("events").renameTo("other_events").execute();
    await assert.rejects(db.selectFrom("events").selectAll().execute());
    await assert.rejects(db.deleteFrom("events").execute());
    await assert.rejects(db.deleteFrom("events").execute());
    assert.deepEqual(failures, { reads: 1, writes: 2 });
  });
});

test("the embedded database is readable only by its owner", async (t) => {
  const place = sqlitePlace(t);
  chmodSync(place.dataDir, 0o755);
  const database = openDatabase(place);
  await migrate(database, 0);
  assert.equal(modeOf(place.dataDir), 0o700);
  const files = readdirSync(place.dataDir).filter((file) => file.startsWith("exitability.db"));
  assert.deepEqual(files.sort(), ["exitability.db", "exitability.db-shm", "exitability.db-wal"]);
  for (const file of files) assert.equal(modeOf(join(place.dataDir, file)), 0o600, file);
  await database.close();
});

test("the embedded database syncs its log for each commit; after a failed sync every write fails until it is opened again", async (t) => {
  const place = sqlitePlace(t);
  const database = openDatabase(place);
  await migrate(database, 0);
  const journal = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(database.db);
  assert.equal(journal.rows[0]?.journal_mode, "wal");
  await using log = await open(join(place.dataDir, "exitability.db-wal"));
  const syncs = t.mock.method(Object.getPrototypeOf(log) as typeof log, "datasync");
  await createUserForEmail(database, "ana@example.com", 0);
  assert.equal(syncs.mock.callCount(), 1);
  syncs.mock.mockImplementation(() => Promise.reject(new Error("EIO: i/o error, fdatasync")));
  const unsynced = createUserForEmail(database, "eva@example.com", 0);
  await assert.rejects(unsynced, { code: "SQLITE_IOERR_FSYNC" });
  assert.equal(database.storageFault(), "failing");
  syncs.mock.restore();
  await assert.rejects(createUserForEmail(database, "ida@example.com", 0), /fdatasync/);
  assert.equal(database.storageFault(), "failing");
  await database.close();
  const again = openDatabase(place);
  await createUserForEmail(again, "mia@example.com", 0);
  assert.equal(again.storageFault(), null);
  await again.close();
});

test("a directory in use is refused, naming the process, until its owner releases it", async (t) => {
  const place = sqlitePlace(t);
  const owner = openDatabase(place);
  const second = openInAnotherProcess(place.dataDir);
  assert.match(
    second,
    new RegExp(`DirectoryInUseError: .* is in use by process ${process.pid}\\.`),
  );
  assert.throws(() => openDatabase(place), DirectoryInUseError);
  await owner.close();
  assert.equal(openInAnotherProcess(place.dataDir), "opened");
});

test("a killed owner leaves no lock behind", async (t) => {
  const place = sqlitePlace(t);
  openInAnotherProcess(place.dataDir, "process.kill(process.pid, 'SIGKILL');");
  await openDatabase(place).close();
});

test("a visitor works beside the owner and sees what the owner wrote", async (t) => {
  const place = sqlitePlace(t);
  const owner = openDatabase(place);
  await migrate(owner, 0);
  const visitor = openDatabase({ ...place, access: "visitor" });
  const row = { subject: "user:1", day: 1n, used: 1n };
  await owner.db.insertInto("daily_usage").values(row).execute();
  assert.deepEqual(await visitor.db.selectFrom("daily_usage").selectAll().execute(), [row]);
  await visitor.db.updateTable("daily_usage").set({ used: 2n }).execute();
  const seen = await owner.db.selectFrom("daily_usage").select("used").execute();
  assert.deepEqual(seen, [{ used: 2n }]);
  await visitor.close();
  await owner.close();
});

/** Opens the directory in a fresh process; "opened", or the error's name and message. */
function openInAnotherProcess(dataDir: string, then = ""): string {
  const script = `
    import { openDatabase } from "#src/store/connection/database.ts";
    try {
      openDatabase({ databaseUrl: null, dataDir: ${JSON.stringify(dataDir)} });
      ${then}
      console.log("opened");
    } catch (error) { console.log(String(error)); }
    process.exit(0);`;
  const result = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  return result.stdout.trim();
}
