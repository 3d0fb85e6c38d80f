import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { WSOL } from "#src/units/known-addresses.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { QuotedExecuted } from "./quoted-executed.ts";
import { AccuracyStore, readMismatchLines } from "./store.ts";
import { Tallies } from "./tallies.ts";
import { HeldWaitings } from "./waiting-counts.ts";

const HOUR_MS = 3_600_000;
const NOW = 480_000 * HOUR_MS;
/** In the order in which they are written. */
const TABLES = [
  "quoted_executed",
  "waiting_held",
  "accuracy_tallies",
  "accuracy_mismatches",
] as const;

test("rows that the database refused are stored by the next save, once", async (t) => {
  const database = await sqliteDatabase(t);
  const store = new AccuracyStore(database);
  const kept = {
    tallies: new Tallies(),
    quoted: new QuotedExecuted(),
    waiting: new HeldWaitings(),
  };
  const swap = {
    venue: "pumpswap",
    pool: WSOL,
    slot: 7n,
    signature: "s",
    signer: null,
    atMs: NOW,
  } as const;
  kept.tallies.count({ ...swap, outcome: { kind: "skipped", reason: "exact-out" } });
  kept.quoted.replace([{ hour: NOW / HOUR_MS, age: 10, counts: { 3: 2 } }]);
  const cell = { size: 5, seconds: 10, age: "over-7-days" } as const;
  kept.waiting.count(cell, { judged: 200, held80: 161, held98: 197, below10: 19 }, NOW);
  store.addMismatch({ atMs: NOW, venue: "pumpswap", signature: "s", execution: '{"slot":7}' });
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} rename to hidden`.execute(database.db);
    await assert.rejects(store.save(kept, NOW), /no such table/);
    await sql`alter table hidden rename to ${sql.table(table)}`.execute(database.db);
  }
  await store.save(kept, NOW);

  const again = {
    tallies: new Tallies(),
    quoted: new QuotedExecuted(),
    waiting: new HeldWaitings(),
  };
  await new AccuracyStore(database).restore({ ...again, programs: { restore: () => {} } });
  assert.deepEqual(again.tallies.windows("pumpswap", NOW).hour.skipped, { "exact-out": 1 });
  assert.equal(again.tallies.windows("pumpswap", NOW).day.seen, 1);
  assert.equal(again.quoted.window(10, NOW, 24).compared, 2);
  assert.deepEqual(again.waiting.report(NOW), kept.waiting.report(NOW));
  assert.deepEqual(again.waiting.report(NOW)[0]?.day, {
    judged: 200,
    held80Pct: 80.5,
    held98Pct: 98.5,
    below10Pct: 9.5,
  });
  assert.equal((await readMismatchLines(database)).length, 1);
});
