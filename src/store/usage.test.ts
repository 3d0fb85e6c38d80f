import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { eachDatabase, eachDatabasePlace } from "#test/support/databases/databases.ts";
import { openDatabase } from "./connection/database.ts";
import { migrate } from "./connection/migrate.ts";
import {
  type DailySpend,
  dailyUsage,
  deleteUsageBefore,
  refundDailyQuota,
  type SpentQuota,
  spendDailyQuota,
} from "./usage.ts";

const QUOTA: DailySpend = { subject: "user:1", day: 20_000, limit: 10, mark: null };

function times<Item>(count: number, item: Item): readonly Item[] {
  return Array.from({ length: count }, () => item);
}

function takenCounts(spent: readonly SpentQuota[]): readonly number[] {
  const taken = spent.filter(({ taken }) => taken).map(({ used }) => used);
  return taken.sort((a, b) => a - b);
}

test("200 parallel calls on a limit of 10 take exactly 10", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const spent = await Promise.all(times(200, QUOTA).map((one) => spendDailyQuota(db, one)));
    assert.deepEqual(takenCounts(spent), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert.ok(spent.every(({ allowed, used }) => allowed || used === 10));
    assert.equal(await dailyUsage(db, QUOTA), 10);
  });
});

test("parallel calls count each day and each subject separately", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const once = { ...QUOTA, limit: 1 };
    const tomorrow = { ...once, day: once.day + 1 };
    const other = { ...once, subject: "user:2" };
    const quotas = [once, tomorrow, once, other, tomorrow];
    const spent = await Promise.all(quotas.map((quota) => spendDailyQuota(db, quota)));
    assert.equal(spent.filter(({ allowed }) => allowed).length, 3);
    for (const quota of [once, tomorrow, other]) assert.equal(await dailyUsage(db, quota), 1);
  });
});

test("a limit lowered below the count refuses and returns the count", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    for (const quota of times(3, QUOTA)) await spendDailyQuota(db, quota);
    for (const limit of [2, 0])
      assert.deepEqual(await spendDailyQuota(db, { ...QUOTA, limit }), {
        allowed: false,
        used: 3,
        taken: false,
      });
    assert.equal(await dailyUsage(db, QUOTA), 3);
  });
});

test("parallel calls with one mark take one use between them, and all are allowed", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const once = { ...QUOTA, limit: 1, mark: "user:1/page" };
    const spent = await Promise.all(times(30, once).map((one) => spendDailyQuota(db, one)));
    assert.ok(spent.every(({ allowed }) => allowed));
    assert.equal(spent.filter(({ taken }) => taken).length, 1);
    assert.equal(await dailyUsage(db, QUOTA), 1);
  });
});

test("a mark refused for a spent quota is not stored as paid", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const one = { ...QUOTA, limit: 1 };
    await spendDailyQuota(db, one);
    const once = { ...one, mark: "user:1/page" };
    const refused = { allowed: false, used: 1, taken: false };
    const spent = await Promise.all(times(5, once).map((each) => spendDailyQuota(db, each)));
    assert.deepEqual(spent, times(5, refused));
    assert.equal((await spendDailyQuota(db, { ...once, limit: 2 })).taken, true);
  });
});

test("a refund gives one use back each time and never goes below zero", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    for (const quota of times(3, QUOTA)) await spendDailyQuota(db, quota);
    await Promise.all(times(2, QUOTA).map((quota) => refundDailyQuota(db, quota)));
    assert.equal(await dailyUsage(db, QUOTA), 1);
    for (const quota of times(2, QUOTA)) await refundDailyQuota(db, quota);
    assert.deepEqual(await spendDailyQuota(db, QUOTA), { allowed: true, used: 1, taken: true });
  });
});

test("a refund with a mark gives both back: the next use with that mark counts", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const marked = { ...QUOTA, mark: "user:1/page" };
    await spendDailyQuota(db, marked);
    await refundDailyQuota(db, marked);
    assert.equal(await dailyUsage(db, QUOTA), 0);
    assert.deepEqual(await spendDailyQuota(db, marked), { allowed: true, used: 1, taken: true });
  });
});

test("a call that fails after it has stored its mark takes nothing", async (t) => {
  await eachDatabase(t, async (_t, { db, dialect }) => {
    const fault = { ...QUOTA, subject: "fault\0", mark: "user:1/page" };
    if (dialect === "sqlite")
      await sql`create trigger refuse before insert on daily_usage when new.subject like 'fault%'
        begin select raise(abort, 'refused'); end`.execute(db);
    await assert.rejects(spendDailyQuota(db, fault));
    assert.deepEqual(await db.selectFrom("daily_usage").selectAll().execute(), []);
  });
});

test("two processes that spend and refund the same subjects neither deadlock nor pass a limit", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    const owner = openDatabase(place);
    await migrate(owner, 0);
    // The embedded database has one process.
    const processes = place.dialect === "sqlite" ? [owner] : [owner, openDatabase(place)];
    try {
      const users = Array.from({ length: 6 }, (_, index) => index);
      const spends = users.flatMap((index): readonly DailySpend[] => [
        { ...QUOTA, subject: `user:${index}`, mark: index % 2 === 0 ? `user:${index}/page` : null },
        { ...QUOTA, subject: `address:${index}`, limit: 5 },
      ]);
      const round = () =>
        Promise.all(
          Array.from({ length: 24 }, async (_, call) => {
            const { db } = processes[call % processes.length] ?? owner;
            const order = call % 3 === 0 ? spends : spends.toReversed();
            return Promise.all(
              order.map(async (one) => ({ db, one, spent: await spendDailyQuota(db, one) })),
            );
          }),
        );
      const taken = (await round()).flat().filter(({ spent }) => spent.taken);
      assert.equal(taken.length, 3 * 1 + 3 * 10 + 6 * 5);
      const refund = ({ db, one }: (typeof taken)[number]) => refundDailyQuota(db, one);
      const [, again] = await Promise.all([Promise.all(taken.map(refund)), round()]);
      await Promise.all(
        again
          .flat()
          .filter(({ spent }) => spent.taken)
          .map(refund),
      );
      const left = await owner.db.selectFrom("daily_usage").select("used").execute();
      assert.ok(left.every(({ used }) => used === 0n));
    } finally {
      for (const each of processes) await each.close();
    }
  });
});

test("deleteUsageBefore deletes earlier days only", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const nextDay = { ...QUOTA, day: QUOTA.day + 1 };
    for (const quota of [QUOTA, nextDay]) await spendDailyQuota(db, quota);
    await deleteUsageBefore(db, nextDay.day);
    assert.equal(await dailyUsage(db, QUOTA), 0);
    assert.equal(await dailyUsage(db, nextDay), 1);
  });
});
