import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import zlib from "node:zlib";
import type { Store } from "#src/store/schema.ts";
import {
  createUserForEmail,
  findUserByEmail,
  setUserDisabled,
  setUserTier,
} from "#src/store/users.ts";
import { eachDatabase, sqliteDatabase } from "#test/support/databases/databases.ts";
import { closeAfter } from "#test/support/ending.ts";
import { AccessCacheSync } from "./access-cache-sync.ts";
import { newApiKeyText } from "./api-key-text.ts";
import { ApiKeys } from "./api-keys.ts";

const HOUR_MS = 3_600_000;

/** One process's keys and cacheSync. The clock is shared. */
function processOn(store: Store, time: { nowMs: number }) {
  const clock = { nowMs: () => time.nowMs };
  const cacheSync = new AccessCacheSync({ db: store.db, clock, log: null });
  return { cacheSync, keys: new ApiKeys({ store, cacheSync, prefix: "exi", clock, log: null }) };
}

async function userOn(store: Store) {
  await createUserForEmail(store, "a@example.com", 0);
  const user = await findUserByEmail(store.db, "a@example.com");
  assert.ok(user);
  return user.id;
}

test("a key is issued once, works, and is stored only as a hash", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { keys } = processOn(store, time);
    const userId = await userOn(store);
    const issued = await keys.activate(userId);
    assert.ok(issued);
    assert.equal(await keys.activate(userId), null, "there is a current key already");
    const caller = await keys.check(issued.text, time.nowMs);
    assert.deepEqual(caller, {
      kind: "user",
      userId,
      tier: "free",
      via: { kind: "api-key", id: issued.id },
    });
    const rows = JSON.stringify(
      await store.db.selectFrom("api_keys").selectAll().execute(),
      (_k, v) => (typeof v === "bigint" ? String(v) : v),
    );
    assert.ok(!rows.includes(issued.text.slice(8, 32)));
  });
});

test("one of several parallel activations issues a key", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { keys } = processOn(store, { nowMs: 0 });
    const userId = await userOn(store);
    const issued = await Promise.all(Array.from({ length: 10 }, () => keys.activate(userId)));
    assert.equal(issued.filter(Boolean).length, 1);
  });
});

test("a malformed, mistyped or unknown key has no caller", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { keys } = processOn(store, { nowMs: 0 });
    for (const text of ["", "exi_short", newApiKeyText("exi"), newApiKeyText("other")])
      assert.equal(await keys.check(text, 0), null);
  });
});

test("after a rotation the old key works for 24 hours and the new one at once", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { cacheSync, keys } = processOn(store, time);
    const userId = await userOn(store);
    assert.equal(await keys.rotate(userId), null, "nothing to rotate yet");
    const old = await keys.activate(userId);
    assert.ok(old);
    await keys.check(old.text, time.nowMs);
    const fresh = await keys.rotate(userId);
    assert.ok(fresh);
    const rotatedMs = time.nowMs;
    for (const [elapsedMs, works] of [
      [0, true],
      [24 * HOUR_MS - 1, true],
      [24 * HOUR_MS, false],
    ] as const) {
      time.nowMs = rotatedMs + elapsedMs;
      await cacheSync.poll();
      assert.equal((await keys.check(old.text, time.nowMs)) !== null, works, `${elapsedMs}`);
      assert.notEqual(await keys.check(fresh.text, time.nowMs), null);
    }
  });
});

test("each of several parallel rotations issues a key that works, and one of them is current", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { keys } = processOn(store, time);
    const userId = await userOn(store);
    await keys.activate(userId);
    const issued = await Promise.all(Array.from({ length: 5 }, () => keys.rotate(userId)));
    for (const key of issued) assert.ok(await keys.check(key?.text ?? "", time.nowMs));
    const records = await keys.list(userId);
    assert.equal(records.filter(({ expiresAtMs }) => expiresAtMs === null).length, 1);
  });
});

test("a revoked key stops in its own process at once, and in another at its next poll", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const here = processOn(store, time);
    const there = processOn(store, time);
    const userId = await userOn(store);
    const issued = await here.keys.activate(userId);
    assert.ok(issued);
    await Promise.all([here.cacheSync.poll(), there.cacheSync.poll()]);
    for (const { keys } of [here, there]) await keys.check(issued.text, time.nowMs);
    assert.notEqual(there.keys.cached(issued.text, time.nowMs), null);
    assert.equal(await here.keys.revoke(userId, issued.id), true);
    assert.equal(await here.keys.check(issued.text, time.nowMs), null);
    time.nowMs += 400;
    await there.cacheSync.poll();
    assert.equal(await there.keys.check(issued.text, time.nowMs), null);
    assert.notEqual(await here.keys.activate(userId), null, "a new one can be activated");
  });
});

test("cached keys are trusted for less than a second without a poll", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { cacheSync, keys } = processOn(store, time);
    const issued = await keys.activate(await userOn(store));
    assert.ok(issued);
    await cacheSync.poll();
    await keys.check(issued.text, time.nowMs);
    assert.notEqual(keys.cached(issued.text, time.nowMs + 900), null);
    assert.equal(keys.cached(issued.text, time.nowMs + 1_000), null);
    assert.notEqual(await keys.check(issued.text, time.nowMs + 1_000), null);
  });
});

test("a change of tier applies to cached keys, and a disabled user's key is refused", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { cacheSync, keys } = processOn(store, time);
    const userId = await userOn(store);
    const issued = await keys.activate(userId);
    assert.ok(issued);
    await cacheSync.poll();
    await keys.check(issued.text, time.nowMs);
    await setUserTier(store.db, { userId, tier: "pro" }, time.nowMs);
    await cacheSync.poll();
    assert.equal((await keys.check(issued.text, time.nowMs))?.tier, "pro");
    await setUserDisabled(store.db, { userId, isDisabled: true }, time.nowMs);
    await cacheSync.poll();
    assert.equal(await keys.check(issued.text, time.nowMs), null);
  });
});

test("another user's key cannot be revoked and is answered like an unknown one", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { keys } = processOn(store, { nowMs: 0 });
    const owner = await userOn(store);
    const issued = await keys.activate(owner);
    assert.ok(issued);
    await createUserForEmail(store, "b@example.com", 0);
    const other = await findUserByEmail(store.db, "b@example.com");
    assert.ok(other);
    assert.equal(await keys.revoke(other.id, issued.id), false);
    assert.equal(await keys.revoke(other.id, "no such key"), false);
    assert.notEqual(await keys.check(issued.text, 0), null);
  });
});

test("today's use and the last use are shown at once, and survive a restart", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { cacheSync, keys } = processOn(store, time);
    const userId = await userOn(store);
    const issued = await keys.activate(userId);
    assert.ok(issued);
    await cacheSync.poll();
    for (let use = 0; use < 7; use++) await keys.check(issued.text, time.nowMs + use);
    const shown = async (process: ApiKeys) => {
      const [record] = await process.list(userId);
      return [record?.usedToday, record?.lastUsedAtMs];
    };
    assert.deepEqual(await shown(keys), [7, time.nowMs + 6]);
    await keys.close();
    assert.deepEqual(await shown(processOn(store, time).keys), [7, time.nowMs + 6]);
    time.nowMs += 24 * HOUR_MS;
    assert.deepEqual((await shown(keys))[0], 0, "a new day");
  });
});

test("parallel checks of keys use one query", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const { keys } = processOn(store, { nowMs: 0 });
    const issued = await keys.activate(await userOn(store));
    assert.ok(issued);
    const selects: string[] = [];
    const watched = store.db.withPlugin({
      transformQuery: ({ node }) => {
        selects.push(node.kind);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const asked = processOn({ ...store, db: watched }, { nowMs: 0 }).keys;
    const texts = [issued.text, newApiKeyText("exi"), issued.text, newApiKeyText("exi")];
    const callers = await Promise.all(texts.map((text) => asked.check(text, 0)));
    assert.deepEqual(
      callers.map((caller) => caller !== null),
      [true, false, true, false],
    );
    assert.equal(selects.length, 1);
  });
});

test("a key whose user changed during the query is not cached", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { cacheSync, keys } = processOn(store, time);
    const userId = await userOn(store);
    const issued = await keys.activate(userId);
    assert.ok(issued);
    await cacheSync.poll();
    const checking = keys.check(issued.text, time.nowMs);
    cacheSync.invalidate(userId);
    assert.notEqual(await checking, null);
    assert.equal(keys.cached(issued.text, time.nowMs), null);
  });
});

test("processes that write uses of the same keys do not deadlock", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const texts: string[] = [];
    const { keys } = processOn(store, { nowMs: 0 });
    for (let number = 0; number < 40; number++) {
      await createUserForEmail(store, `user${number}@example.com`, 0);
      const user = await findUserByEmail(store.db, `user${number}@example.com`);
      const issued = user === null ? null : await keys.activate(user.id);
      if (issued !== null) texts.push(issued.text);
    }
    const rounds = 10;
    const processes = [texts, texts.toReversed()].map((order) => ({
      order,
      keys: processOn(store, { nowMs: 0 }).keys,
    }));
    for (let round = 0; round < rounds; round++) {
      for (const { order, keys } of processes)
        for (const text of order) assert.notEqual(await keys.check(text, 0), null);
      await Promise.all(processes.map(({ keys }) => keys.writeUses()));
    }
    const used = await store.db.selectFrom("api_key_usage").select("used").execute();
    assert.deepEqual(
      used.map((row) => Number(row.used)),
      texts.map(() => rounds * processes.length),
    );
  });
});

test("uses on two days are written as two, and the last use is the later one", async (t) => {
  await eachDatabase(t, async (_t, store) => {
    const time = { nowMs: 1_800_000_000_000 };
    const { keys } = processOn(store, time);
    const userId = await userOn(store);
    const issued = await keys.activate(userId);
    assert.ok(issued);
    await keys.check(issued.text, time.nowMs + 24 * HOUR_MS);
    await keys.check(issued.text, time.nowMs);
    await keys.writeUses();
    const used = await store.db.selectFrom("api_key_usage").select("used").execute();
    assert.deepEqual(
      used.map((row) => Number(row.used)),
      [1, 1],
    );
    const [record] = await keys.list(userId);
    assert.equal(record?.lastUsedAtMs, time.nowMs + 24 * HOUR_MS);
  });
});

test("after its first use a key is checked without a query, a hash or a checksum", async (t) => {
  const store = await sqliteDatabase(t);
  const time = { nowMs: 1_800_000_000_000 };
  const { cacheSync, keys } = processOn(store, time);
  const issued = await keys.activate(await userOn(store));
  assert.ok(issued);
  await cacheSync.poll();
  const queries = t.mock.method(store.db.getExecutor(), "executeQuery").mock;
  const hashes = t.mock.method(crypto, "createHash").mock;
  const checksums = t.mock.method(zlib, "crc32").mock;
  syncBuiltinESMExports();
  closeAfter(t, () => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const costs = () => [queries, hashes, checksums].map((calls) => calls.callCount());
  await keys.check(issued.text, time.nowMs);
  assert.deepEqual(costs(), [1, 1, 1]);
  for (let use = 0; use < 1_000; use++) {
    const arrived = Buffer.from(issued.text).toString();
    assert.notEqual(keys.cached(arrived, time.nowMs), null, "the key was forgotten");
    assert.notEqual(await keys.check(arrived, time.nowMs), null);
  }
  assert.deepEqual(costs(), [1, 1, 1]);
});
