import assert from "node:assert/strict";
import { test } from "node:test";
import { addAccessChange } from "#src/store/access-changes.ts";
import type { UserId } from "#src/store/user-id.ts";
import { eachDatabase } from "#test/support/databases/databases.ts";
import { AccessCacheSync } from "./access-cache-sync.ts";

const ANA = "0b54e1c2-7a8f-4f06-9f52-1f1a3a9e6d01" as UserId;
const NOW = 1_800_000_000_000;

test("a change is reported once, also one written by a clock that is behind", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const cacheSync = new AccessCacheSync({ db, clock: { nowMs: () => NOW }, log: null });
    const changed: UserId[] = [];
    cacheSync.onChange((userId) => changed.push(userId));
    await cacheSync.poll();
    await addAccessChange(db, ANA, NOW - 30_000);
    await cacheSync.poll();
    await cacheSync.poll();
    assert.deepEqual(changed, [ANA]);
    await addAccessChange(db, ANA, NOW + 30_000);
    await cacheSync.poll();
    assert.deepEqual(changed, [ANA, ANA]);
  });
});

test("caches are not trusted before the first poll, nor while polling fails", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    let nowMs = NOW;
    const cacheSync = new AccessCacheSync({ db, clock: { nowMs: () => nowMs }, log: null });
    assert.equal(cacheSync.isCurrent(nowMs), false);
    await cacheSync.poll();
    assert.equal(cacheSync.isCurrent(nowMs), true);
    await db.schema.alterTable("access_changes").renameTo("out_of_reach").execute();
    nowMs += 1_000;
    await cacheSync.poll();
    assert.equal(cacheSync.isCurrent(nowMs), false);
    await db.schema.alterTable("out_of_reach").renameTo("access_changes").execute();
    await cacheSync.poll();
    assert.equal(cacheSync.isCurrent(nowMs), true);
  });
});

test("a change that was written while no poll succeeded is reported, however long ago", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    let nowMs = NOW;
    const cacheSync = new AccessCacheSync({ db, clock: { nowMs: () => nowMs }, log: null });
    const changed: UserId[] = [];
    cacheSync.onChange((userId) => changed.push(userId));
    await cacheSync.poll();
    await addAccessChange(db, ANA, NOW + 1_000);
    nowMs = NOW + 3_600_000;
    await cacheSync.poll();
    await cacheSync.poll();
    assert.deepEqual(changed, [ANA]);
  });
});
