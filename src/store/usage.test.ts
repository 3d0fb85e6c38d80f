import assert from "node:assert/strict";
import { test } from "node:test";
import { eachDatabase } from "#test/support/databases.ts";
import { spendDailyQuotas } from "./daily-spends.ts";
import { dailyUsage, forgetUsageBefore } from "./usage.ts";

const QUOTA = { subject: "user:1", day: 20_000, limit: 10, mark: null };
const NEXT_DAY = { ...QUOTA, day: QUOTA.day + 1 };

test("forgetting drops earlier days alone", async (t) => {
  await eachDatabase(t, async (_t, { db }) => {
    await spendDailyQuotas(db, [QUOTA, NEXT_DAY]);
    await forgetUsageBefore(db, QUOTA.day + 1);
    assert.equal(await dailyUsage(db, QUOTA), 0);
    assert.equal(await dailyUsage(db, NEXT_DAY), 1);
  });
});
