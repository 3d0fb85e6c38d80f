import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases.ts";
import {
  dailyUsage,
  forgetUsageBefore,
  refundDailyQuota,
  spendDailyQuota,
  spendDailyQuotaOnce,
} from "./usage.ts";

const QUOTA = { subject: "user:1", day: 20_000, limit: 10 };

test("200 parallel calls on a limit of 10 take exactly 10", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const spent = await Promise.all(Array.from({ length: 200 }, () => spendDailyQuota(db, QUOTA)));
    const taken = spent.filter(({ allowed }) => allowed).map(({ used }) => used);
    assert.deepEqual(
      taken.sort((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.ok(spent.every(({ allowed, used }) => allowed || used === 10));
    assert.equal(await dailyUsage(db, QUOTA), 10);
  });
});

test("days and subjects are counted apart", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const once = { ...QUOTA, limit: 1 };
    assert.deepEqual(await spendDailyQuota(db, once), { allowed: true, used: 1 });
    assert.deepEqual(await spendDailyQuota(db, once), { allowed: false, used: 1 });
    assert.equal((await spendDailyQuota(db, { ...once, day: once.day + 1 })).allowed, true);
    assert.equal((await spendDailyQuota(db, { ...once, subject: "user:2" })).allowed, true);
  });
});

test("a refund gives one back and never goes below zero", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await spendDailyQuota(db, QUOTA);
    await refundDailyQuota(db, QUOTA);
    await refundDailyQuota(db, QUOTA);
    assert.equal(await dailyUsage(db, QUOTA), 0);
    assert.deepEqual(await spendDailyQuota(db, QUOTA), { allowed: true, used: 1 });
  });
});

test("a limit lowered below what was used refuses and says what was used", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    for (let call = 0; call < 3; call++) await spendDailyQuota(db, QUOTA);
    assert.deepEqual(await spendDailyQuota(db, { ...QUOTA, limit: 2 }), {
      allowed: false,
      used: 3,
    });
    assert.deepEqual(await spendDailyQuota(db, { ...QUOTA, limit: 0 }), {
      allowed: false,
      used: 3,
    });
  });
});

test("forgetting drops earlier days alone", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await spendDailyQuota(db, QUOTA);
    await spendDailyQuota(db, { ...QUOTA, day: QUOTA.day + 1 });
    await forgetUsageBefore(db, QUOTA.day + 1);
    assert.equal(await dailyUsage(db, QUOTA), 0);
    assert.equal(await dailyUsage(db, { ...QUOTA, day: QUOTA.day + 1 }), 1);
  });
});

test("parallel calls with one mark take one between them, and all pass", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const once = { ...QUOTA, limit: 1, mark: "user:1/page" };
    const spent = await Promise.all(
      Array.from({ length: 30 }, () => spendDailyQuotaOnce(db, once)),
    );
    assert.ok(spent.every(({ allowed }) => allowed));
    assert.equal(spent.filter(({ taken }) => taken).length, 1);
    assert.equal(await dailyUsage(db, QUOTA), 1);
  });
});

test("a mark whose quota is spent is refused, and is not remembered as paid", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const one = { ...QUOTA, limit: 1 };
    await spendDailyQuota(db, one);
    const once = { ...one, mark: "user:1/page" };
    const refused = { allowed: false, used: 1, taken: false };
    assert.deepEqual(await spendDailyQuotaOnce(db, once), refused);
    assert.deepEqual(await spendDailyQuotaOnce(db, once), refused);
    assert.equal((await spendDailyQuotaOnce(db, { ...once, limit: 2 })).taken, true);
  });
});
