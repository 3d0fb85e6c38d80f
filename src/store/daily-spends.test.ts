import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { eachDatabase, eachDatabasePlace } from "#test/support/databases.ts";
import {
  type DailySpend,
  isAboutData,
  refundDailyQuotas,
  type SpentQuota,
  spendDailyQuotas,
} from "./daily-spends.ts";
import { openDatabase } from "./database.ts";
import { migrate } from "./migrate.ts";
import type { Schema } from "./schema.ts";
import { dailyUsage } from "./usage.ts";

const QUOTA: DailySpend = { subject: "user:1", day: 20_000, limit: 10, mark: null };
const TO_TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

async function spend(db: Kysely<Schema>, one: DailySpend): Promise<SpentQuota> {
  const [spent] = await spendDailyQuotas(db, [one]);
  return spent ?? assert.fail("no answer");
}

function times<Item>(count: number, item: Item): readonly Item[] {
  return Array.from({ length: count }, () => item);
}

function takenCounts(spent: readonly SpentQuota[]): readonly number[] {
  const taken = spent.filter(({ taken }) => taken).map(({ used }) => used);
  return taken.sort((a, b) => a - b);
}

/** What was taken for these spends, to be given back. */
function takenOf(spends: readonly DailySpend[], spent: readonly SpentQuota[]) {
  const taken = spends.filter((_, place) => spent[place]?.taken === true);
  return taken.flatMap(({ mark, ...quota }) =>
    mark === null ? [quota] : [quota, { ...quota, subject: mark, limit: 1 }],
  );
}

test("200 parallel calls on a limit of 10 take exactly 10", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const spent = await Promise.all(times(200, QUOTA).map((one) => spend(db, one)));
    assert.deepEqual(takenCounts(spent), TO_TEN);
    assert.ok(spent.every(({ allowed, used }) => allowed || used === 10));
    assert.equal(await dailyUsage(db, QUOTA), 10);
  });
});

test("of 200 uses written together on a limit of 10 the first 10 are taken, the rest refused", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    for (const already of [0, 4]) {
      const quota = { ...QUOTA, subject: `already:${already}` };
      await spendDailyQuotas(db, times(already, quota));
      const spent = await spendDailyQuotas(db, times(200, quota));
      const left = TO_TEN.slice(already).map((used) => ({ allowed: true, used, taken: true }));
      const refused = { allowed: false, used: 10, taken: false };
      assert.deepEqual(spent, [...left, ...times(190 + already, refused)]);
      assert.equal(await dailyUsage(db, quota), 10);
    }
  });
});

test("days and subjects are counted apart, whoever is written together", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const once = { ...QUOTA, limit: 1 };
    const tomorrow = { ...once, day: once.day + 1 };
    const other = { ...once, subject: "user:2" };
    const spent = await spendDailyQuotas(db, [once, tomorrow, once, other, tomorrow]);
    assert.deepEqual(
      spent.map(({ allowed }) => allowed),
      [true, true, false, true, false],
    );
    for (const quota of [once, tomorrow, other]) assert.equal(await dailyUsage(db, quota), 1);
  });
});

test("uses with other limits and with marks are written together, each by its own rule", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const address = { subject: "address:203.0.113.9", day: QUOTA.day, limit: 5, mark: null };
    const page = { ...QUOTA, mark: "user:1/page" };
    const spends = [...times(7, address), ...times(9, QUOTA), page, page, QUOTA, address];
    const spent = await spendDailyQuotas(db, spends);
    const refused = (used: number) => ({ allowed: false, used, taken: false });
    const taken = (used: number) => ({ allowed: true, used, taken: true });
    assert.deepEqual(spent.slice(0, 7), [...[1, 2, 3, 4, 5].map(taken), refused(5), refused(5)]);
    assert.deepEqual(spent.slice(7, 17), TO_TEN.map(taken));
    const pageAgain = { allowed: true, used: 10, taken: false };
    assert.deepEqual(spent.slice(17), [pageAgain, refused(10), refused(5)]);
  });
});

test("a limit lowered below what was used refuses and says what was used", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await spendDailyQuotas(db, times(3, QUOTA));
    for (const limit of [2, 0])
      assert.deepEqual(await spendDailyQuotas(db, times(2, { ...QUOTA, limit })), [
        ...times(2, { allowed: false, used: 3, taken: false }),
      ]);
    assert.equal(await dailyUsage(db, QUOTA), 3);
  });
});

test("parallel calls with one mark take one between them, and all pass", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const once = { ...QUOTA, limit: 1, mark: "user:1/page" };
    const spent = await Promise.all([
      ...times(30, once).map((one) => spendDailyQuotas(db, [one])),
      spendDailyQuotas(db, times(30, once)),
    ]);
    assert.ok(spent.flat().every(({ allowed }) => allowed));
    assert.equal(spent.flat().filter(({ taken }) => taken).length, 1);
    assert.equal(await dailyUsage(db, QUOTA), 1);
  });
});

test("a mark whose quota is spent is refused, and is not remembered as paid", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const one = { ...QUOTA, limit: 1 };
    await spend(db, one);
    const once = { ...one, mark: "user:1/page" };
    const refused = { allowed: false, used: 1, taken: false };
    assert.deepEqual(await spendDailyQuotas(db, [once, once]), [refused, refused]);
    assert.deepEqual(await spend(db, once), refused);
    assert.equal((await spend(db, { ...once, limit: 2 })).taken, true);
  });
});

test("a refund gives one back each time and never goes below zero", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const other = { ...QUOTA, subject: "user:2" };
    await spendDailyQuotas(db, [...times(3, QUOTA), other]);
    await refundDailyQuotas(db, [QUOTA, other, QUOTA, other]);
    assert.deepEqual([await dailyUsage(db, QUOTA), await dailyUsage(db, other)], [1, 0]);
    await refundDailyQuotas(db, times(2, QUOTA));
    assert.deepEqual(await spend(db, QUOTA), { allowed: true, used: 1, taken: true });
    await refundDailyQuotas(db, []);
  });
});

test("a call that fails has taken nothing from anybody, and says whether a value was at fault", async (t) => {
  await eachDatabase(t, async (_t, { db, dialect }) => {
    const fault = { ...QUOTA, subject: "at fault\0" };
    if (dialect === "sqlite")
      await sql`create trigger refuse before insert on daily_usage when new.subject like 'at fault%'
        begin select raise(abort, 'refused'); end`.execute(db);
    for (const spends of [
      [QUOTA, fault],
      [{ ...QUOTA, mark: "user:1/page" }, fault],
      [{ ...QUOTA, subject: "user:2", limit: 5 }, QUOTA, fault],
    ])
      await assert.rejects(spendDailyQuotas(db, spends), isAboutData);
    assert.deepEqual(await db.selectFrom("daily_usage").selectAll().execute(), []);
  });
});

test("that a table is missing is nobody's value", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await db.schema.dropTable("daily_usage").execute();
    await assert.rejects(spendDailyQuotas(db, [QUOTA]), (cause) => !isAboutData(cause));
  });
});

test("processes that write the same subjects in any order neither wait for each other for ever nor pass a limit", async (t) => {
  await eachDatabasePlace(t, async (_t, place) => {
    const owner = openDatabase(place);
    await migrate(owner, 0);
    // SQLite has one writer, and that is the one process.
    const processes = place.dialect === "sqlite" ? [owner] : [owner, openDatabase(place)];
    try {
      const subjects = Array.from({ length: 20 }, (_, index) => `user:${index}`);
      const spends = subjects.flatMap((subject, index): readonly DailySpend[] => [
        { ...QUOTA, subject, mark: index % 3 === 0 ? `${subject}/page` : null },
        { ...QUOTA, subject: `address:${index}`, limit: 5 },
      ]);
      const orders = [spends, spends.toReversed(), [...spends.slice(17), ...spends.slice(0, 17)]];
      const calls = Array.from({ length: 36 }, async (_, call) => {
        const { db } = processes[call % processes.length] ?? owner;
        const some = orders[call % orders.length] ?? spends;
        return { db, some, spent: await spendDailyQuotas(db, some) };
      });
      const ended = await Promise.all(calls);
      const users = subjects.length;
      const onceForTheirPage = Math.ceil(users / 3);
      assert.equal(
        ended.flatMap(({ spent }) => spent).filter(({ taken }) => taken).length,
        onceForTheirPage + (users - onceForTheirPage) * 10 + users * 5,
      );
      // Given back while others ask again, who then give back what they got.
      const givenBack = ended.map(async ({ db, some, spent }) => {
        await refundDailyQuotas(db, takenOf(some, spent));
        await refundDailyQuotas(db, takenOf(some, await spendDailyQuotas(db, some)));
      });
      await Promise.all(givenBack);
      const left = await owner.db.selectFrom("daily_usage").select("used").execute();
      assert.ok(left.every(({ used }) => used === 0n));
    } finally {
      for (const each of processes) await each.close();
    }
  });
});

type Step = { readonly refunds: readonly DailySpend[]; readonly spends: readonly DailySpend[] };

const anySpend: fc.Arbitrary<DailySpend> = fc
  .record({
    subject: fc.constantFrom("user:1", "user:2", "address:1"),
    day: fc.constantFrom(20_000, 20_001),
    page: fc.option(fc.constantFrom("page:1", "page:2")),
  })
  .map(({ subject, day, page }) => ({
    subject,
    day,
    limit: subject.startsWith("user") ? 4 : 2,
    mark: page === null ? null : `${subject}/${page}`,
  }));
const anyStep: fc.Arbitrary<Step> = fc.record({
  refunds: fc.array(anySpend, { maxLength: 4 }),
  spends: fc.array(anySpend, { maxLength: 12 }),
});

test("written together or one by one, everybody is counted the same", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    const run = async (steps: readonly Step[], isOneByOne: boolean) => {
      await db.deleteFrom("daily_usage").execute();
      const outcomes: SpentQuota[] = [];
      for (const { refunds, spends } of steps) {
        if (isOneByOne) {
          for (const one of refunds) await refundDailyQuotas(db, [one]);
          for (const one of spends) outcomes.push(await spend(db, one));
        } else {
          await refundDailyQuotas(db, refunds);
          outcomes.push(...(await spendDailyQuotas(db, spends)));
        }
      }
      const rows = await db.selectFrom("daily_usage").selectAll().execute();
      const left = rows.filter(({ used }) => used !== 0n);
      const counts = left.map(({ subject, day, used }) => `${day} ${subject} ${used}`).sort();
      return { counts, outcomes: outcomes.map(({ allowed, taken }) => ({ allowed, taken })) };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 6 }), async (steps) => {
        assert.deepEqual(await run(steps, false), await run(steps, true));
      }),
      { numRuns: 20 },
    );
  });
});
