import assert from "node:assert/strict";
import { test } from "node:test";
import { noteAccessChange } from "#src/store/access-changes.ts";
import type { UserId } from "#src/store/user-id.ts";
import { eachDatabase } from "#test/support/databases.ts";
import { AccessFeed } from "./access-feed.ts";

const ANA = "0b54e1c2-7a8f-4f06-9f52-1f1a3a9e6d01" as UserId;
const NOW = 1_800_000_000_000;

test("a change is told once, also one written by a clock that is behind", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const feed = new AccessFeed({ db, nowMs: () => NOW });
    const told: UserId[] = [];
    feed.onChange((userId) => told.push(userId));
    await feed.poll();
    await noteAccessChange(db, ANA, NOW - 30_000);
    await feed.poll();
    await feed.poll();
    assert.deepEqual(told, [ANA]);
    await noteAccessChange(db, ANA, NOW + 30_000);
    await feed.poll();
    assert.deepEqual(told, [ANA, ANA]);
  });
});

test("nothing is believed before the first look, nor while the database can't be asked", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    let nowMs = NOW;
    const feed = new AccessFeed({ db, nowMs: () => nowMs });
    assert.equal(feed.isCurrent(nowMs), false);
    await feed.poll();
    assert.equal(feed.isCurrent(nowMs), true);
    await db.schema.alterTable("access_changes").renameTo("out_of_reach").execute();
    nowMs += 1_000;
    await feed.poll();
    assert.equal(feed.isCurrent(nowMs), false);
    await db.schema.alterTable("out_of_reach").renameTo("access_changes").execute();
    await feed.poll();
    assert.equal(feed.isCurrent(nowMs), true);
  });
});
