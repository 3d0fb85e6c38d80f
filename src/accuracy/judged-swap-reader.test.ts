import assert from "node:assert/strict";
import { test } from "node:test";
import { writeMismatches } from "#src/store/accuracy.ts";
import { type StoredSwap, writeJudgedSwaps } from "#src/store/judged-swaps.ts";
import { addProgramDeployment } from "#src/store/program-deployments.ts";
import { sqliteDatabase } from "#test/support/databases/databases.ts";
import { JudgedSwapReader } from "./judged-swap-reader.ts";
import { readMismatchLines } from "./store.ts";

function swap(slot: bigint): StoredSwap {
  const outcome = { kind: "skipped", reason: "exact-out" } as const;
  return { atMs: 1, venue: "pumpswap", pool: "pool", slot, signature: `s${slot}`, outcome };
}

test("a swap has the deployed slot of the code that ran, even if the upgrade was noticed later", async (t) => {
  const database = await sqliteDatabase(t);
  const { db } = database;
  const clock = { nowMs: 0 };
  const reader = new JudgedSwapReader(database, { nowMs: () => clock.nowMs });
  const slots = async () => {
    const told = await reader.last({ program: "pumpswap", limit: 10 });
    return told.map(({ deployedSlot }) => deployedSlot);
  };
  await writeJudgedSwaps(db, [swap(99n), swap(101n), swap(200n), swap(201n)], 10);
  assert.deepEqual(await slots(), [null, null, null, null]);
  const pumpswap = { venue: "pumpswap", seenAtMs: 1 };
  await addProgramDeployment(db, { ...pumpswap, slot: 100n });
  await addProgramDeployment(db, { ...pumpswap, slot: 200n });
  await addProgramDeployment(db, { ...pumpswap, venue: "orca-whirlpool", slot: 150n });
  clock.nowMs += 1_000;
  assert.deepEqual(await slots(), [200n, 100n, 100n, null]);
});

test("concurrent requests cost one read a second", async (t) => {
  const { db, ...database } = await sqliteDatabase(t);
  const clock = { nowMs: 0 };
  const reader = new JudgedSwapReader({ ...database, db }, { nowMs: () => clock.nowMs });
  const count = async () => (await reader.last({ program: null, limit: 1 })).length;
  assert.equal(await count(), 0);
  await writeJudgedSwaps(db, [swap(1n), swap(2n)], 10);
  assert.equal(await count(), 0);
  clock.nowMs += 1_000;
  assert.equal(await count(), 1);
});

test("a mismatch that is read back names its transaction and the code that ran", async (t) => {
  const database = await sqliteDatabase(t);
  const { db } = database;
  const execution = JSON.stringify({ venue: "pumpswap", slot: 150 });
  const mismatch = { atMs: 1, venue: "pumpswap", signature: "s1", execution };
  await writeMismatches(db, [mismatch], 10);
  const line = async () => JSON.parse((await readMismatchLines(database))[0] ?? "");
  assert.deepEqual(await line(), {
    signature: "s1",
    deployedSlot: null,
    venue: "pumpswap",
    slot: 150,
  });
  await addProgramDeployment(db, { venue: "pumpswap", slot: 100n, seenAtMs: 1 });
  assert.equal((await line()).deployedSlot, 100);
});
